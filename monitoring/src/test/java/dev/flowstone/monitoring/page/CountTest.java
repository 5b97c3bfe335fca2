// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CountTest {
  @Test
  void shouldSayHowFastItGrows() {
    assertThat(Count.since(100L, 350, 2.5)).isEqualTo(new Count(350, 100L));
  }

  @Test
  void shouldSayThatItStandsStill() {
    assertThat(Count.since(100L, 350, 0)).isEqualTo(new Count(350, 0L));
  }

  @Test
  void shouldNotKnowTheRateOfWhatHasJustBegunOrBegunAnew() {
    assertThat(Count.since(null, 350, 1)).isEqualTo(new Count(350, null));
    assertThat(Count.since(400L, 350, 1)).isEqualTo(new Count(350, null));
  }
}
