// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.util.SplittableRandom;

/**
 * Which flow sends next, and how many packets in a row. Trains are drawn in groups, and their
 * flows' blocks are touched at once: so a processor waits for the memory of many flows together,
 * not for one after another.
 */
final class Trains {
  private static final int GROUP = 32;

  private final ZipfPicker picker;
  private final FlowBlocks blocks;
  private final SplittableRandom random;
  private final int longest;
  private final int[] ranks = new int[GROUP];
  private final int[] packets = new int[GROUP];
  private int index = GROUP - 1;

  /** What was read has to go somewhere, or a compiler leaves the reading out. */
  private long unusedWords;

  Trains(SyntheticOptions options, FlowBlocks blocks, SplittableRandom random) {
    this.blocks = blocks;
    this.random = random;
    picker = new ZipfPicker(options.flows());
    longest = 2 * options.trainPackets() - 1;
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

  /** Lengths from 1 to twice the mean less 1, all alike likely. */
  private void draw() {
    for (int i = 0; i < GROUP; i++) {
      ranks[i] = picker.pick(random.nextLong());
      packets[i] = 1 + (int) (((random.nextLong() >>> Integer.SIZE) * longest) >>> Integer.SIZE);
    }
    for (int rank : ranks) {
      unusedWords += blocks.touch(FlowBlocks.block(rank));
    }
    index = 0;
  }
}
