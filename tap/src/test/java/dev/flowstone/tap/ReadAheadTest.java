// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ReadAheadTest {
  private static final int MOST = 1024;

  private final ReadAhead ahead = new ReadAhead(MOST);

  /** Sends what it may, at a rate, and returns how many it may in the end. */
  private int settleAt(double packetsPerSecond) {
    for (int batch = 0; batch < 100; batch++) {
      ahead.took((long) (ahead.packets() * 1e9 / packetsPerSecond));
    }
    return ahead.packets();
  }

  @Test
  void shouldTakeFullBatchesWhereTheyGoOnFast() {
    assertThat(settleAt(1e6)).isEqualTo(MOST);
  }

  @Test
  void shouldNeverHoldMoreThanAFewMillisecondsWorth() {
    assertThat(settleAt(20_000)).isBetween(50, 200);
    assertThat(settleAt(10)).isEqualTo(1);
    assertThat(settleAt(1e9)).isEqualTo(MOST);
  }

  @Test
  void shouldBeginWithOne() {
    assertThat(ahead.packets()).isEqualTo(1);
    ahead.took(TimeUnit.MICROSECONDS.toNanos(1));
    assertThat(ahead.packets()).isEqualTo(2);
  }
}
