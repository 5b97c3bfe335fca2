// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class ZipfPickerPropertyTest {
  private static final int DRAWS = 200_000;

  @Property(tries = 30)
  void shouldDrawEachRankByItsShare(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 3000) int ranks) {
    ZipfPicker picker = new ZipfPicker(ranks);
    SplittableRandom random = new SplittableRandom(seed);
    int[] drawn = new int[ranks];
    for (int i = 0; i < DRAWS; i++) {
      drawn[picker.pick(random.nextLong())]++;
    }
    double[] shares = ZipfPicker.shares(ranks);
    for (int rank = 0; rank < ranks; rank++) {
      double expected = shares[rank] * DRAWS;
      // Six standard deviations, and a little for the smallest shares.
      assertThat((double) drawn[rank])
          .as("rank %d of %d", rank, ranks)
          .isCloseTo(expected, within(6 * Math.sqrt(expected) + 6));
    }
  }
}
