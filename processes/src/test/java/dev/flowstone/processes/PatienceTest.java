// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processes;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PatienceTest {
  private static final Duration LIMIT = Duration.ofMillis(50);

  private long nowNs;

  @Test
  void shouldWaitWhileSomethingChangesAndNoLonger() {
    Patience patience = new Patience(LIMIT, () -> nowNs);
    for (int progress = 0; progress < 4; progress++) {
      nowNs += 2 * LIMIT.toNanos();
      assertThat(patience.isOver(progress)).as("%d", progress).isFalse();
    }
    nowNs += LIMIT.toNanos();
    assertThat(patience.isOver(3)).isFalse();
    nowNs++;
    assertThat(patience.isOver(3)).isTrue();
    assertThat(patience.isOver(4)).as("it goes on after all").isFalse();
  }
}
