// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.packets;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.rules.function.Sample;

/** Which of a rule's packets go on. The same ones wherever blocks begin and end. */
sealed interface Choice permits Choice.Every, EveryNth, WholeFlows, ByChance {
  /**
   * Chooses among some packets of a block.
   *
   * @param candidates their indexes, ascending
   * @param chosen takes the indexes of those that go on, ascending
   * @return how many do
   */
  int choose(PacketBlock packets, int[] candidates, int count, int[] chosen);

  static Choice of(Sample sample, long rule, StreamCounts counts) {
    return switch (sample.by()) {
      case PACKETS -> new EveryNth(rule, sample.oneIn(), counts);
      case FLOWS -> new WholeFlows(sample.oneIn());
      case RANDOM -> new ByChance(sample.seed(), sample.oneIn());
    };
  }

  /** All of them. */
  record Every() implements Choice {
    @Override
    public int choose(PacketBlock packets, int[] candidates, int count, int[] chosen) {
      System.arraycopy(candidates, 0, chosen, 0, count);
      return count;
    }
  }
}
