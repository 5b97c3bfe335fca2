// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The baseline's counts are as fine as those it is compared with. */
class KeyedHistogramsTest {
  private static final long HIGHEST_NS = 10_000_000_000L;

  @Test
  void shouldKeepOneDigit() {
    int latest = 0;
    long firstOfLatest = 0;
    for (long gapNs = 0; gapNs < HIGHEST_NS; gapNs += 1 + gapNs / 1000) {
      int index = KeyedHistograms.indexOf(gapNs);
      assertThat(index).isBetween(latest, latest + 1);
      if (index > latest) {
        latest = index;
        firstOfLatest = gapNs;
      }
      assertThat(gapNs - firstOfLatest).isLessThanOrEqualTo(Math.max(64, firstOfLatest / 15));
    }
    assertThat(KeyedHistograms.indexOf(Long.MAX_VALUE)).isGreaterThan(latest);
  }
}
