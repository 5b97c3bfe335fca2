// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketColumns.A_ADDRESS_0;
import static dev.flowstone.model.abi.PacketColumns.A_PORT;
import static dev.flowstone.model.abi.PacketColumns.B_ADDRESS_0;
import static dev.flowstone.model.abi.PacketColumns.B_PORT;
import static dev.flowstone.model.abi.PacketColumns.FLOW_HASH;
import static dev.flowstone.model.abi.PacketColumns.FLOW_PAIR;
import static dev.flowstone.model.abi.PacketColumns.PROTOCOL;

import java.util.Arrays;

/**
 * The columns of flows and of the pairs of hosts that they share. Pairs are looked for in a few
 * slots only: one that is not found there is written again, which costs bytes and nothing else,
 * whatever somebody chose.
 */
final class FlowColumns {
  private static final int MOST_SLOTS_LOG2 = 13;
  private static final int SLOTS_LOOKED_AT = 4;
  private static final int FREE = 0;

  private static final long SPREAD_A = 0x9e37_79b9_7f4a_7c15L;
  private static final long SPREAD_B = 0xc2b2_ae3d_27d4_eb4fL;

  private final MessageColumns columns;
  private final int[] slots;

  /** By pair: the block of the first flow that has it. */
  private final int[] blockOfPair;

  /** By flow. */
  private final int[] pairOfFlow;

  private final int[] hashOfPair;
  private final int[] orderOfPair;
  private int slotShift;
  private int pairCount;

  FlowColumns(int maxCount, MessageColumns columns) {
    this.columns = columns;
    slots = new int[1 << slotsLog2(maxCount)];
    blockOfPair = new int[maxCount];
    pairOfFlow = new int[maxCount];
    hashOfPair = new int[maxCount];
    orderOfPair = new int[maxCount];
  }

  private static int slotsLog2(int flows) {
    return Math.min(MOST_SLOTS_LOG2, 2 + BitPacking.widthOf(flows));
  }

  int pairCount() {
    return pairCount;
  }

  /** Writes the columns of all flows of a message. Short loops, each with few arrays in hand. */
  void write(long[] blocks, int flowCount) {
    slotShift = Long.SIZE - slotsLog2(flowCount);
    Arrays.fill(slots, 0, 1 << slotsLog2(flowCount), FREE);
    pairCount = 0;
    writePairsOfFlows(blocks, flowCount);
    writeProtocols(blocks);
    writeAddresses(blocks, FlowTable.A_HIGH, A_ADDRESS_0);
    writeAddresses(blocks, FlowTable.B_HIGH, B_ADDRESS_0);
    hashPairs(blocks);
    writePortsAndHashes(blocks, flowCount);
  }

  private void writePairsOfFlows(long[] blocks, int flowCount) {
    final int[] codes = columns.plain(FLOW_PAIR);
    for (int flow = 0; flow < flowCount; flow++) {
      final int code = codeOfPair(blocks, FlowTable.blockOf(flow));
      codes[flow] = code;
      pairOfFlow[flow] = code == 0 ? pairCount - 1 : code - 1;
    }
  }

  /** 1 + the row of the pair, or 0 where it takes the next row. */
  private int codeOfPair(long[] blocks, int block) {
    final int[] slots = this.slots;
    final int mask = (int) (-1L >>> slotShift);
    final int first = firstSlot(blocks, block);
    int slot = first;
    for (int step = 0; step < SLOTS_LOOKED_AT; step++) {
      slot = (first + step) & mask;
      final int entry = slots[slot];
      if (entry == FREE) {
        break;
      }
      if (samePair(blocks, block, blockOfPair[entry - 1])) {
        return entry;
      }
    }
    blockOfPair[pairCount++] = block;
    slots[slot] = pairCount;
    return 0;
  }

  private int firstSlot(long[] blocks, int block) {
    final long a = blocks[block + FlowTable.A_LOW] ^ blocks[block + FlowTable.A_HIGH];
    final long b = blocks[block + FlowTable.B_LOW] ^ blocks[block + FlowTable.B_HIGH];
    final long sum = a * SPREAD_A + (b ^ blocks[block + FlowTable.PROTOCOL]) * SPREAD_B;
    return (int) (((sum ^ (sum >>> 32)) * SPREAD_A) >>> slotShift);
  }

  private static boolean samePair(long[] blocks, int one, int other) {
    final long difference =
        (blocks[one + FlowTable.A_HIGH] ^ blocks[other + FlowTable.A_HIGH])
            | (blocks[one + FlowTable.A_LOW] ^ blocks[other + FlowTable.A_LOW])
            | (blocks[one + FlowTable.B_HIGH] ^ blocks[other + FlowTable.B_HIGH])
            | (blocks[one + FlowTable.B_LOW] ^ blocks[other + FlowTable.B_LOW])
            | (blocks[one + FlowTable.PROTOCOL] ^ blocks[other + FlowTable.PROTOCOL]);
    return difference == 0;
  }

  private void writeProtocols(long[] blocks) {
    final int[] protocols = columns.plain(PROTOCOL);
    for (int pair = 0; pair < pairCount; pair++) {
      protocols[pair] = (int) blocks[blockOfPair[pair] + FlowTable.PROTOCOL];
    }
  }

  private void writeAddresses(long[] blocks, int word, int firstColumn) {
    final int[] column0 = columns.plain(firstColumn);
    final int[] column1 = columns.plain(firstColumn + 1);
    final int[] column2 = columns.plain(firstColumn + 2);
    final int[] column3 = columns.plain(firstColumn + 3);
    for (int pair = 0; pair < pairCount; pair++) {
      final long high = Long.reverseBytes(blocks[blockOfPair[pair] + word]);
      final long low = Long.reverseBytes(blocks[blockOfPair[pair] + word + 1]);
      column0[pair] = (int) (high >>> 32);
      column1[pair] = (int) high;
      column2[pair] = (int) (low >>> 32);
      column3[pair] = (int) low;
    }
  }

  private void hashPairs(long[] blocks) {
    for (int pair = 0; pair < pairCount; pair++) {
      final int block = blockOfPair[pair];
      final long aHigh = Long.reverseBytes(blocks[block + FlowTable.A_HIGH]);
      final long aLow = Long.reverseBytes(blocks[block + FlowTable.A_LOW]);
      final long bHigh = Long.reverseBytes(blocks[block + FlowTable.B_HIGH]);
      final long bLow = Long.reverseBytes(blocks[block + FlowTable.B_LOW]);
      final int protocol = (int) blocks[block + FlowTable.PROTOCOL];
      hashOfPair[pair] = FlowHashPrediction.ofPair(aHigh, aLow, bHigh, bLow, protocol);
      orderOfPair[pair] = FlowHashPrediction.order(aHigh, aLow, bHigh, bLow);
    }
  }

  private void writePortsAndHashes(long[] blocks, int flowCount) {
    final int[] aPorts = columns.plain(A_PORT);
    final int[] bPorts = columns.plain(B_PORT);
    final int[] hashes = columns.plain(FLOW_HASH);
    for (int flow = 0; flow < flowCount; flow++) {
      final long hashAndPorts = blocks[FlowTable.blockOf(flow) + FlowTable.HASH_PORTS];
      final int aPort = (int) hashAndPorts >>> 16;
      final int bPort = (int) hashAndPorts & 0xffff;
      final int pair = pairOfFlow[flow];
      aPorts[flow] = aPort;
      bPorts[flow] = bPort;
      hashes[flow] =
          (int) (hashAndPorts >>> 32)
              ^ hashOfPair[pair]
              ^ FlowHashPrediction.ofPorts(orderOfPair[pair], aPort, bPort);
    }
  }
}
