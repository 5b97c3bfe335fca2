// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.packets;

import dev.flowstone.blocks.PacketBlock;

/**
 * Each packet with the same chance, 1/N but for less than 2^-64. Drawn from the seed and the
 * packet's place in its ring, not from a sequence of random numbers: who reads a packet again, in
 * whatever block, draws the same.
 */
final class ByChance implements Choice {
  /** 2^64 over the golden ratio, as SplitMix64 steps. */
  private static final long STEP = 0x9e37_79b9_7f4a_7c15L;

  private final long seed;
  private final long highestDraw;

  ByChance(long seed, int oneIn) {
    this.seed = mix(seed + STEP);
    highestDraw = Long.divideUnsigned(-1L, oneIn);
  }

  @Override
  public int choose(PacketBlock packets, int[] candidates, int count, int[] chosen) {
    long start = startOf(packets);
    int chosenCount = 0;
    for (int i = 0; i < count; i++) {
      int index = candidates[i];
      chosen[chosenCount] = index;
      chosenCount += takes(start, packets.positionOf(index)) ? 1 : 0;
    }
    return chosenCount;
  }

  /** Where the draws of a ring begin. */
  long startOf(PacketBlock packets) {
    return mix(mix(seed + packets.stream()) + packets.incarnation());
  }

  boolean takes(long start, long position) {
    return Long.compareUnsigned(mix(start + position * STEP), highestDraw) <= 0;
  }

  /** SplitMix64's finalizer: each bit of the word changes half of the bits. */
  private static long mix(long word) {
    long mixed = (word ^ word >>> 30) * 0xbf58_476d_1ce4_e5b9L;
    mixed = (mixed ^ mixed >>> 27) * 0x94d0_49bb_1331_11ebL;
    return mixed ^ mixed >>> 31;
  }
}
