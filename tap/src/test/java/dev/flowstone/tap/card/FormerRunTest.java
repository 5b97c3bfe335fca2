// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

/** What came to a card whose tap was killed; {@link CardCommandTest} kills taps. */
class FormerRunTest {
  private static final PortCounters ONE = new PortCounters(100, 6_400, 3, 10, 20, 70);
  private static final PortCounters OTHER = new PortCounters(50, 3_200, 0, 0, 0, 50);

  @Test
  void shouldCountWhatPortsReceived() {
    assertThat(FormerRun.came(List.of(ONE, OTHER), 120)).isEqualTo(90 + 50);
  }

  /** Killed between the start of the rings and that of the ports, or of the second one. */
  @Test
  void shouldNotCountAgainWhatPortsReceivedInTheRunBefore() {
    assertThat(FormerRun.came(List.of(ONE, OTHER), 0)).isZero();
    assertThat(FormerRun.came(List.of(ONE, OTHER), 50)).isEqualTo(50);
  }
}
