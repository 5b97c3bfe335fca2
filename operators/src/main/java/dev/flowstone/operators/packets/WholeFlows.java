// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.packets;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.PacketRecord;
import java.lang.foreign.MemorySegment;

/**
 * All packets of one in N flows, in both directions, by the flow hash: the same flows on every ring
 * and in every run. Packets without IP have no flow and are chosen by chance, one by one: else all
 * of them would go on with the weight N, or none.
 */
final class WholeFlows implements Choice {
  private static final long HASHES = 1L << Integer.SIZE;

  private final int highestDraw;
  private final ByChance withoutFlow;

  WholeFlows(int oneIn) {
    highestDraw = (int) (Math.round((double) HASHES / oneIn) - 1);
    withoutFlow = new ByChance(0, oneIn);
  }

  @Override
  public int choose(PacketBlock packets, int[] candidates, int count, int[] chosen) {
    MemorySegment segment = packets.segment();
    long start = withoutFlow.startOf(packets);
    int chosenCount = 0;
    for (int i = 0; i < count; i++) {
      int index = candidates[i];
      long offset = packets.offsetOf(index);
      int hash = PacketRecord.flowHash(segment, offset);
      boolean taken =
          (hash == 0 && !isIp(segment, offset))
              ? withoutFlow.takes(start, packets.positionOf(index))
              : Integer.compareUnsigned(draw(hash), highestDraw) <= 0;
      chosen[chosenCount] = index;
      chosenCount += taken ? 1 : 0;
    }
    return chosenCount;
  }

  private static boolean isIp(MemorySegment segment, long offset) {
    return PacketRecord.isIp(PacketRecord.kind(PacketRecord.descriptor(segment, offset)));
  }

  /**
   * A permutation of all hashes, so that exactly the share asked for is chosen; another one than
   * key groups are made with, so that each ring has its share.
   */
  static int draw(int flowHash) {
    int drawn = flowHash ^ 0x5bd1_e995;
    drawn = (drawn ^ drawn >>> 16) * 0x7feb_352d;
    drawn = (drawn ^ drawn >>> 15) * 0x846c_a68b;
    return drawn ^ drawn >>> 16;
  }
}
