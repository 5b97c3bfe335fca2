// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BlockWaitTest {
  private static final long MOST_NS = 1_000;
  private static final long LARGE_RING = 1 << 20;

  private final BlockWait wait = new BlockWait(100, MOST_NS);

  @Test
  void shouldWaitForEnoughButNotForLongerThanItMay() {
    assertThat(wait.isWorthWaiting(0, 0, LARGE_RING, 0)).isFalse();
    assertThat(wait.isWorthWaiting(0, 99, LARGE_RING, 10)).isTrue();
    assertThat(wait.isWorthWaiting(0, 99, LARGE_RING, 10 + MOST_NS - 1)).isTrue();
    assertThat(wait.isWorthWaiting(0, 99, LARGE_RING, 10 + MOST_NS)).isFalse();
    assertThat(wait.isWorthWaiting(0, 100, LARGE_RING, 2 * MOST_NS)).isFalse();
  }

  /** Packets far apart come in a run each, as a clock record stands before each. */
  @Test
  void shouldWaitOnceForAllThatIsThere() {
    assertThat(wait.isWorthWaiting(7, 10, LARGE_RING, 0)).isTrue();
    assertThat(wait.isWorthWaiting(7, 12, LARGE_RING, MOST_NS)).isFalse();
    assertThat(wait.isWorthWaiting(18, 1, LARGE_RING, MOST_NS)).as("the last of them").isFalse();
    assertThat(wait.isWorthWaiting(19, 5, LARGE_RING, MOST_NS)).as("came since").isTrue();
    wait.begin();
    assertThat(wait.isWorthWaiting(0, 5, LARGE_RING, MOST_NS)).as("another ring").isTrue();
  }

  /** The producer would drop while the reader waits for more than fits. */
  @Test
  void shouldNotLetASmallRingFill() {
    assertThat(wait.isWorthWaiting(0, 15, 64, 0)).isTrue();
    assertThat(wait.isWorthWaiting(0, 16, 64, 0)).isFalse();
  }
}
