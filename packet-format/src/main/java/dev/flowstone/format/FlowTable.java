// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketColumns.*;

import java.util.Arrays;

/**
 * The flows of the message being encoded, found by their key. Open addressing; a slot is valid only
 * when it carries the stamp of the current message, so that a new message costs no clearing.
 */
final class FlowTable {
  /** A key and its two directions fill one cache line. */
  private static final int KEY_WORDS_LOG2 = 3;

  private static final int DIRECTIONS_WORD = 6;
  private static final long NO_DIRECTIONS = -1L;
  private static final long FLOW_MASK = 0xffff_ffffL;

  private final long[] slots;
  private final long[] keys;
  private final int[][] columns;
  private int stamp;
  private int slotMask;
  private int flowCount;

  FlowTable(int maxFlows, int[][] columns) {
    slots = new long[slotCount(maxFlows)];
    keys = new long[maxFlows << KEY_WORDS_LOG2];
    this.columns = columns;
  }

  /** At most half full; a small message stays within few cache lines. */
  private static int slotCount(int flows) {
    return Math.max(64, Integer.highestOneBit(Math.max(1, flows)) << 2);
  }

  void clear(int maxFlows) {
    flowCount = 0;
    slotMask = slotCount(maxFlows) - 1;
    if (++stamp == 0) { // stamps are used up: slots of 2^32 messages ago would look valid
      Arrays.fill(slots, 0);
      stamp = 1;
    }
  }

  int flowCount() {
    return flowCount;
  }

  /**
   * Returns the flow with this key, which is new when it equals the flow count before the call.
   * Addresses are little-endian words, as the record's memory gives them.
   */
  int findOrAdd(long aHigh, long aLow, long bHigh, long bLow, long hashAndPorts, int protocol) {
    final long[] slots = this.slots;
    final long[] keys = this.keys;
    final int mask = slotMask;
    final long valid = (long) stamp << 32;
    int slot = mix((int) (hashAndPorts >>> 32)) & mask;
    for (long entry = slots[slot]; (entry & ~FLOW_MASK) == valid; entry = slots[slot]) {
      final int flow = (int) entry;
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
      slot = (slot + 1) & mask;
    }
    slots[slot] = valid | flowCount;
    return add(aHigh, aLow, bHigh, bLow, hashAndPorts, protocol);
  }

  /** Ring i holds flows whose hashes share residues: multiply so that the slots do not. */
  private static int mix(int flowHash) {
    return (flowHash * 0x9e3779b9) >>> 15 ^ flowHash;
  }

  private int add(long aHigh, long aLow, long bHigh, long bLow, long hashAndPorts, int protocol) {
    final int flow = flowCount++;
    final int key = flow << KEY_WORDS_LOG2;
    keys[key] = aHigh;
    keys[key + 1] = aLow;
    keys[key + 2] = bHigh;
    keys[key + 3] = bLow;
    keys[key + 4] = hashAndPorts;
    keys[key + 5] = protocol;
    keys[key + DIRECTIONS_WORD] = NO_DIRECTIONS;
    final long aUpper = Long.reverseBytes(aHigh);
    final long aLower = Long.reverseBytes(aLow);
    final long bUpper = Long.reverseBytes(bHigh);
    final long bLower = Long.reverseBytes(bLow);
    columns[A_ADDRESS_0][flow] = (int) (aUpper >>> 32);
    columns[A_ADDRESS_1][flow] = (int) aUpper;
    columns[A_ADDRESS_2][flow] = (int) (aLower >>> 32);
    columns[A_ADDRESS_3][flow] = (int) aLower;
    columns[B_ADDRESS_0][flow] = (int) (bUpper >>> 32);
    columns[B_ADDRESS_1][flow] = (int) bUpper;
    columns[B_ADDRESS_2][flow] = (int) (bLower >>> 32);
    columns[B_ADDRESS_3][flow] = (int) bLower;
    final int aPort = (int) (hashAndPorts >>> 16) & 0xffff;
    final int bPort = (int) hashAndPorts & 0xffff;
    columns[A_PORT][flow] = aPort;
    columns[B_PORT][flow] = bPort;
    columns[PROTOCOL][flow] = protocol;
    columns[FLOW_HASH][flow] =
        (int) (hashAndPorts >>> 32)
            ^ FlowHashPrediction.predict(aUpper, aLower, bUpper, bLower, aPort, bPort, protocol);
    return flow;
  }

  /**
   * The direction in which endpoint A (side 0) or B (side 1) of the flow sends, or -1 when it has
   * not yet sent.
   */
  int direction(int flow, int side) {
    return (int) (keys[(flow << KEY_WORDS_LOG2) + DIRECTIONS_WORD] >>> (side << 5));
  }

  void setDirection(int flow, int side, int direction) {
    final int word = (flow << KEY_WORDS_LOG2) + DIRECTIONS_WORD;
    final int shift = side << 5;
    keys[word] = (keys[word] & ~(FLOW_MASK << shift)) | ((long) direction << shift);
  }
}
