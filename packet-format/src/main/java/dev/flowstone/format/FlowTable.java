// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import dev.flowstone.model.TupleHash;
import java.util.Arrays;

/**
 * The flows of the message being encoded, found by their key, and what is known of their senders.
 * Open addressing, at most half full.
 *
 * <p>Flows are spread by the hash that their records bring, which costs nothing. It is public, so
 * senders can choose thousands of flows that lie in one another's way; a message in which too many
 * slots were passed in vain spreads its flows by {@link TupleHash} instead.
 *
 * <p>A flow has a block of 16 words: two cache lines, one for its key, one for its two senders. A
 * sender is one endpoint of a flow, named by the place of its words. Endpoint A is the one with the
 * higher port; where ports are equal, that with the higher address.
 */
final class FlowTable {
  private static final int BLOCK_WORDS_LOG2 = 4;

  /** Words of a block: addresses as the record's memory gives them, then the rest of the key. */
  static final int A_HIGH = 0;

  static final int A_LOW = 1;
  static final int B_HIGH = 2;
  static final int B_LOW = 3;

  /** From the lowest bit up: port of B, port of A, flow hash. */
  static final int HASH_PORTS = 4;

  static final int PROTOCOL = 5;
  private static final int SENDER_A = 8;
  private static final int SENDER_WORDS = 3;

  private static final int SENDER_B = SENDER_A + SENDER_WORDS;

  /** From one sender of a flow to the other. */
  private static final int EXCHANGE = SENDER_A ^ SENDER_B;

  private static final long HASH_MASK = 0xffff_ffff_0000_0000L;

  /**
   * A slot has half of the flow's hash in its upper half and 1 + flow in its lower half: few flows
   * are looked at in vain.
   */
  private static final int FLOW_BITS = 16;

  private static final int FLOW_MASK = (1 << FLOW_BITS) - 1;
  private static final int FREE = 0;

  /** Ring i holds flows whose hashes share residues: multiplied by this their high bits differ. */
  private static final int SPREAD = 0x9e3779b9;

  /** Slots passed, for each packet; where nobody chose the flows it is about one at most. */
  static final int MOST_STEPS_PER_PACKET = 4;

  /**
   * Blocks of flows, from 1 on. Block 0 is that of no flow and like none, so that a free slot needs
   * no test.
   */
  final long[] blocks;

  private final int[] slots;
  private final int[] unknown = new int[RecordChunk.RECORDS];
  private int slotShift;
  private int flowCount;
  private boolean hashIsSecret;
  private int steps;
  private int mostSteps;

  FlowTable(int maxFlows) {
    slots = new int[1 << slotsLog2(maxFlows)];
    blocks = new long[(1 + maxFlows) << BLOCK_WORDS_LOG2];
    blocks[PROTOCOL] = -1;
  }

  private static int slotsLog2(int flows) {
    return 1 + BitPacking.widthOf(flows);
  }

  /** Makes room for a message of so many packets. */
  void clear(int packets) {
    slotShift = Integer.SIZE - slotsLog2(packets);
    flowCount = 0;
    hashIsSecret = false;
    steps = 0;
    mostSteps = MOST_STEPS_PER_PACKET * packets;
    clearSlots();
  }

  private void clearSlots() {
    Arrays.fill(slots, 0, 1 << (Integer.SIZE - slotShift), FREE);
  }

  int flowCount() {
    return flowCount;
  }

  /** Slots passed since the table was cleared because another flow was there. */
  int steps() {
    return steps;
  }

  /** Where the block of a flow is. */
  static int blockOf(int flow) {
    return (1 + flow) << BLOCK_WORDS_LOG2;
  }

  /** The row of the sender's flow. */
  static int flowOf(int sender) {
    return (sender >>> BLOCK_WORDS_LOG2) - 1;
  }

  /** 0 for endpoint A, 1 for endpoint B. */
  static int sideOf(int sender) {
    return (sender & SENDER_WORDS) != 0 ? 1 : 0;
  }

  static int oppositeOf(int sender) {
    return sender ^ EXCHANGE;
  }

  /** Finds the sender of each of count records; a flow that is new gets the next number. */
  void findSenders(long[] words, int count, int[] senders) {
    final int unknownCount = findInFirstSlots(words, count, senders);
    for (int i = 0; i < unknownCount; i++) {
      final int packet = unknown[i];
      senders[packet] = findOrAdd(words, packet * RecordChunk.WORDS);
    }
  }

  /**
   * Most packets belong to a flow that is known and stands where its hash points. These are found
   * without a branch, so that the processor works on many at a time; the others are noted.
   */
  private int findInFirstSlots(long[] words, int count, int[] senders) {
    final int[] slots = this.slots;
    final long[] blocks = this.blocks;
    final int[] unknown = this.unknown;
    final int slotShift = this.slotShift;
    int unknownCount = 0;
    for (int i = 0; i < count; i++) {
      final int at = i * RecordChunk.WORDS;
      final int side = side(words, at);
      final long exchange = -(long) side;
      final long sourceHigh = words[at + RecordChunk.SOURCE_HIGH];
      final long sourceLow = words[at + RecordChunk.SOURCE_LOW];
      final long high = (sourceHigh ^ words[at + RecordChunk.DESTINATION_HIGH]) & exchange;
      final long low = (sourceLow ^ words[at + RecordChunk.DESTINATION_LOW]) & exchange;
      final long hashAndPorts = hashAndPorts(words, at, side);
      final int slot = publicHash(hashAndPorts) >>> slotShift;
      final int block = (slots[slot] & FLOW_MASK) << BLOCK_WORDS_LOG2;
      final long difference =
          (blocks[block + A_HIGH] ^ sourceHigh ^ high)
              | (blocks[block + A_LOW] ^ sourceLow ^ low)
              | (blocks[block + B_HIGH] ^ words[at + RecordChunk.DESTINATION_HIGH] ^ high)
              | (blocks[block + B_LOW] ^ words[at + RecordChunk.DESTINATION_LOW] ^ low)
              | (blocks[block + HASH_PORTS] ^ hashAndPorts)
              | (blocks[block + PROTOCOL] ^ (words[at + RecordChunk.ATTRIBUTES_DESCRIPTOR] & 0xff));
      senders[i] = block + SENDER_A + SENDER_WORDS * side;
      unknown[unknownCount] = i;
      unknownCount += (int) ((difference | -difference) >>> 63);
    }
    return unknownCount;
  }

  /** Which endpoint sends: as good as random, so what follows from it is computed, not chosen. */
  private static int side(long[] words, int at) {
    final int ports = (int) words[at + RecordChunk.PORTS_SEQUENCE];
    final int sourcePort = ports & 0xffff;
    final int destinationPort = ports >>> 16;
    return sourcePort != destinationPort
        ? (sourcePort - destinationPort) >>> 31
        : sideByAddress(words, at);
  }

  private static int sideByAddress(long[] words, int at) {
    final int order =
        Long.compareUnsigned(
            words[at + RecordChunk.SOURCE_HIGH], words[at + RecordChunk.DESTINATION_HIGH]);
    return (order != 0
                ? order
                : Long.compareUnsigned(
                    words[at + RecordChunk.SOURCE_LOW], words[at + RecordChunk.DESTINATION_LOW]))
            >= 0
        ? 0
        : 1;
  }

  /** Flow hash, port of A, port of B. */
  private static long hashAndPorts(long[] words, int at, int side) {
    final int ports = (int) words[at + RecordChunk.PORTS_SEQUENCE];
    final int fromA = side == 0 ? ports << 16 | ports >>> 16 : ports;
    return (words[at + RecordChunk.TIME_HASH] & HASH_MASK) | (fromA & 0xffff_ffffL);
  }

  private int findOrAdd(long[] words, int at) {
    final int side = side(words, at);
    final int source = at + (side == 0 ? RecordChunk.SOURCE_HIGH : RecordChunk.DESTINATION_HIGH);
    final int other = at + (side == 0 ? RecordChunk.DESTINATION_HIGH : RecordChunk.SOURCE_HIGH);
    final int block =
        findOrAdd(
            words[source],
            words[source + 1],
            words[other],
            words[other + 1],
            hashAndPorts(words, at, side),
            (int) words[at + RecordChunk.ATTRIBUTES_DESCRIPTOR] & 0xff);
    return block + SENDER_A + SENDER_WORDS * side;
  }

  private int findOrAdd(
      long aHigh, long aLow, long bHigh, long bLow, long hashAndPorts, int protocol) {
    final int[] slots = this.slots;
    final long[] blocks = this.blocks;
    final int mask = -1 >>> slotShift;
    final int hash = hash(aHigh, aLow, bHigh, bLow, hashAndPorts, protocol);
    int slot = hash >>> slotShift;
    for (int entry = slots[slot]; entry != FREE; entry = slots[slot]) {
      if ((entry ^ (hash << FLOW_BITS)) >>> FLOW_BITS == 0) {
        final int block = (entry & FLOW_MASK) << BLOCK_WORDS_LOG2;
        final long difference =
            (blocks[block + A_HIGH] ^ aHigh)
                | (blocks[block + A_LOW] ^ aLow)
                | (blocks[block + B_HIGH] ^ bHigh)
                | (blocks[block + B_LOW] ^ bLow)
                | (blocks[block + HASH_PORTS] ^ hashAndPorts)
                | (blocks[block + PROTOCOL] ^ protocol);
        if (difference == 0) {
          return block;
        }
      }
      slot = (slot + 1) & mask;
      if (++steps == mostSteps) {
        spreadInSecret();
        return findOrAdd(aHigh, aLow, bHigh, bLow, hashAndPorts, protocol);
      }
    }
    final int flow = flowCount++;
    slots[slot] = entry(hash, flow);
    final int block = blockOf(flow);
    blocks[block + A_HIGH] = aHigh;
    blocks[block + A_LOW] = aLow;
    blocks[block + B_HIGH] = bHigh;
    blocks[block + B_LOW] = bLow;
    blocks[block + HASH_PORTS] = hashAndPorts;
    blocks[block + PROTOCOL] = protocol;
    blocks[block + SENDER_A] = 0;
    blocks[block + SENDER_B] = 0;
    return block;
  }

  private int hash(long aHigh, long aLow, long bHigh, long bLow, long hashAndPorts, int protocol) {
    return hashIsSecret
        ? TupleHash.of(
            aHigh, aLow, bHigh, bLow, (hashAndPorts & ~HASH_MASK) | (long) protocol << Integer.SIZE)
        : publicHash(hashAndPorts);
  }

  private static int publicHash(long hashAndPorts) {
    return (int) (hashAndPorts >>> Integer.SIZE) * SPREAD;
  }

  private static int entry(int hash, int flow) {
    return (hash << FLOW_BITS) | (flow + 1);
  }

  /** Gives every flow a slot that its sender could not foresee. */
  private void spreadInSecret() {
    hashIsSecret = true;
    clearSlots();
    final int mask = -1 >>> slotShift;
    for (int flow = 0; flow < flowCount; flow++) {
      final int block = blockOf(flow);
      final int hash =
          hash(
              blocks[block + A_HIGH],
              blocks[block + A_LOW],
              blocks[block + B_HIGH],
              blocks[block + B_LOW],
              blocks[block + HASH_PORTS],
              (int) blocks[block + PROTOCOL]);
      int slot = hash >>> slotShift;
      while (slots[slot] != FREE) {
        slot = (slot + 1) & mask;
      }
      slots[slot] = entry(hash, flow);
    }
  }
}
