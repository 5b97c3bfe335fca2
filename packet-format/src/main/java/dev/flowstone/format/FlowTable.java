// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketColumns.*;

import java.util.Arrays;

/**
 * The flows of the message being encoded, found by their key. Open addressing, at most half full.
 *
 * <p>Flows are spread by the hash that their records bring, which costs nothing. It is public, so
 * senders can choose thousands of flows that lie in one another's way; a message in which too many
 * slots were passed in vain spreads its flows by {@link TupleHash} instead.
 *
 * <p>A sender is one endpoint of a flow: {@code flow << 1}, plus 1 for endpoint B. Endpoint A is
 * the one with the higher port; where ports are equal, that with the higher address.
 */
final class FlowTable {
  /** A key fills a cache line. */
  private static final int KEY_WORDS_LOG2 = 3;

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

  private final int[] slots;
  private final long[] keys;
  private int slotShift;
  private int flowCount;
  private boolean hashIsSecret;
  private int steps;
  private int mostSteps;

  FlowTable(int maxFlows) {
    slots = new int[1 << slotsLog2(maxFlows)];
    keys = new long[maxFlows << KEY_WORDS_LOG2];
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

  /** Finds the sender of each of count records; a flow that is new gets the next number. */
  void findSenders(long[] words, int count, int[] senders) {
    for (int i = 0; i < count; i++) {
      final int at = i * RecordChunk.WORDS;
      final long sourceHigh = words[at + RecordChunk.SOURCE_HIGH];
      final long sourceLow = words[at + RecordChunk.SOURCE_LOW];
      final long destinationHigh = words[at + RecordChunk.DESTINATION_HIGH];
      final long destinationLow = words[at + RecordChunk.DESTINATION_LOW];
      final int ports = (int) words[at + RecordChunk.PORTS_SEQUENCE];
      final int sourcePort = ports & 0xffff;
      final int destinationPort = ports >>> 16;
      final int side =
          sourcePort != destinationPort
              ? (sourcePort - destinationPort) >>> 31
              : sideByAddress(sourceHigh, sourceLow, destinationHigh, destinationLow);
      // Endpoints change places without a branch: which side sends is as good as random.
      final long exchange = -(long) side;
      final long high = (sourceHigh ^ destinationHigh) & exchange;
      final long low = (sourceLow ^ destinationLow) & exchange;
      final int port = (sourcePort ^ destinationPort) & (int) exchange;
      final long hashAndPorts =
          (words[at + RecordChunk.TIME_HASH] & HASH_MASK)
              | (long) (sourcePort ^ port) << 16
              | (destinationPort ^ port);
      final int flow =
          findOrAdd(
              sourceHigh ^ high,
              sourceLow ^ low,
              destinationHigh ^ high,
              destinationLow ^ low,
              hashAndPorts,
              (int) words[at + RecordChunk.ATTRIBUTES_DESCRIPTOR] & 0xff);
      senders[i] = (flow << 1) | side;
    }
  }

  private static int sideByAddress(
      long sourceHigh, long sourceLow, long destinationHigh, long destinationLow) {
    final int order = Long.compareUnsigned(sourceHigh, destinationHigh);
    return (order != 0 ? order : Long.compareUnsigned(sourceLow, destinationLow)) >= 0 ? 0 : 1;
  }

  /** Addresses are little-endian words, as the record's memory gives them. */
  private int findOrAdd(
      long aHigh, long aLow, long bHigh, long bLow, long hashAndPorts, int protocol) {
    final int[] slots = this.slots;
    final long[] keys = this.keys;
    final int mask = -1 >>> slotShift;
    final int hash = hash(aHigh, aLow, bHigh, bLow, hashAndPorts, protocol);
    int slot = hash >>> slotShift;
    for (int entry = slots[slot]; entry != FREE; entry = slots[slot]) {
      if ((entry ^ (hash << FLOW_BITS)) >>> FLOW_BITS == 0) {
        final int flow = (entry & FLOW_MASK) - 1;
        final int key = flow << KEY_WORDS_LOG2;
        final long difference =
            (keys[key] ^ aHigh)
                | (keys[key + 1] ^ aLow)
                | (keys[key + 2] ^ bHigh)
                | (keys[key + 3] ^ bLow)
                | (keys[key + 4] ^ hashAndPorts)
                | (keys[key + 5] ^ protocol);
        if (difference == 0) {
          return flow;
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
    final int key = flow << KEY_WORDS_LOG2;
    keys[key] = aHigh;
    keys[key + 1] = aLow;
    keys[key + 2] = bHigh;
    keys[key + 3] = bLow;
    keys[key + 4] = hashAndPorts;
    keys[key + 5] = protocol;
    return flow;
  }

  private int hash(long aHigh, long aLow, long bHigh, long bLow, long hashAndPorts, int protocol) {
    return hashIsSecret
        ? TupleHash.of(
            aHigh, aLow, bHigh, bLow, (hashAndPorts & ~HASH_MASK) | (long) protocol << Integer.SIZE)
        : (int) (hashAndPorts >>> Integer.SIZE) * SPREAD;
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
      final int key = flow << KEY_WORDS_LOG2;
      final int hash =
          hash(
              keys[key],
              keys[key + 1],
              keys[key + 2],
              keys[key + 3],
              keys[key + 4],
              (int) keys[key + 5]);
      int slot = hash >>> slotShift;
      while (slots[slot] != FREE) {
        slot = (slot + 1) & mask;
      }
      slots[slot] = entry(hash, flow);
    }
  }

  /** Writes the columns that the keys decide. */
  void writeColumns(MessageColumns columns) {
    for (int flow = 0; flow < flowCount; flow++) {
      final int key = flow << KEY_WORDS_LOG2;
      final long aHigh = Long.reverseBytes(keys[key]);
      final long aLow = Long.reverseBytes(keys[key + 1]);
      final long bHigh = Long.reverseBytes(keys[key + 2]);
      final long bLow = Long.reverseBytes(keys[key + 3]);
      final long hashAndPorts = keys[key + 4];
      final int protocol = (int) keys[key + 5];
      final int aPort = (int) (hashAndPorts >>> 16) & 0xffff;
      final int bPort = (int) hashAndPorts & 0xffff;
      writeAddress(columns, A_ADDRESS_0, flow, aHigh, aLow);
      writeAddress(columns, B_ADDRESS_0, flow, bHigh, bLow);
      columns.plain(A_PORT)[flow] = aPort;
      columns.plain(B_PORT)[flow] = bPort;
      columns.plain(PROTOCOL)[flow] = protocol;
      columns.plain(FLOW_HASH)[flow] =
          (int) (hashAndPorts >>> 32)
              ^ FlowHashPrediction.predict(aHigh, aLow, bHigh, bLow, aPort, bPort, protocol);
    }
  }

  private static void writeAddress(
      MessageColumns columns, int firstColumn, int flow, long high, long low) {
    columns.plain(firstColumn)[flow] = (int) (high >>> 32);
    columns.plain(firstColumn + 1)[flow] = (int) high;
    columns.plain(firstColumn + 2)[flow] = (int) (low >>> 32);
    columns.plain(firstColumn + 3)[flow] = (int) low;
  }
}
