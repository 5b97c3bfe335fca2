// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.packets;

import dev.flowstone.blocks.PacketBlock;

/** The first packet of a rule and ring, then every Nth. Looks at no packet. */
record EveryNth(long rule, int oneIn, StreamCounts counts) implements Choice {
  @Override
  public int choose(PacketBlock packets, int[] candidates, int count, int[] chosen) {
    long before = counts.add(rule, packets.stream(), count);
    int chosenCount = 0;
    // A long: the sum of a count and the largest N has no room in an int.
    for (long i = Math.floorMod(-before, (long) oneIn); i < count; i += oneIn) {
      chosen[chosenCount++] = candidates[(int) i];
    }
    return chosenCount;
  }
}
