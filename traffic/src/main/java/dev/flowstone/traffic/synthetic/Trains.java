// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.util.SplittableRandom;

/**
 * Which place in the mix sends next, and how many packets in a row: a geometric number. Trains are
 * drawn in groups, and their places' blocks are touched at once: so a processor waits for the
 * memory of many flows together, not for one after another.
 */
final class Trains {
  private static final int GROUP = 32;

  /** Lengths are drawn from a table of so many quantiles. */
  private static final int LENGTH_BITS = 10;

  private static final int LENGTHS = 1 << LENGTH_BITS;

  private final ZipfPicker picker;
  private final FlowBlocks blocks;
  private final SplittableRandom random;
  private final int[] lengths;
  private final int[] ranks = new int[GROUP];
  private final int[] packets = new int[GROUP];
  private int index = GROUP - 1;

  /** What was read has to go somewhere, or a compiler leaves the reading out. */
  private long unusedWords;

  Trains(SyntheticOptions options, FlowBlocks blocks, SplittableRandom random) {
    this.blocks = blocks;
    this.random = random;
    picker = new ZipfPicker(options.flows());
    lengths = geometric(options.trainPackets());
  }

  /** Quantiles of the geometric distribution from 1 on. */
  private static int[] geometric(int mean) {
    int[] quantiles = new int[LENGTHS];
    for (int i = 0; i < LENGTHS; i++) {
      double rest = 1 - (i + 0.5) / LENGTHS;
      quantiles[i] =
          mean == 1 ? 1 : (int) Math.ceil(StrictMath.log(rest) / StrictMath.log(1 - 1.0 / mean));
    }
    return quantiles;
  }

  /** Goes on to the next train. */
  void next() {
    if (++index == GROUP) {
      draw();
    }
  }

  int rank() {
    return ranks[index];
  }

  int packets() {
    return packets[index];
  }

  private void draw() {
    for (int i = 0; i < GROUP; i++) {
      ranks[i] = picker.pick(random.nextLong());
      packets[i] = lengths[(int) (random.nextLong() >>> (Long.SIZE - LENGTH_BITS))];
    }
    for (int rank : ranks) {
      unusedWords += blocks.touch(FlowBlocks.block(rank));
    }
    index = 0;
  }
}
