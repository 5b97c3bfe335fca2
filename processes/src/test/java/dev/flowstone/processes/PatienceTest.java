// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processes;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PatienceTest {
  private static final Duration LIMIT = Duration.ofMillis(50);

  @Test
  void shouldWaitWhileSomethingChangesAndNoLonger() throws Exception {
    Patience patience = new Patience(LIMIT);
    for (int progress = 0; progress < 4; progress++) {
      Thread.sleep(LIMIT);
      assertThat(patience.isOver(progress)).as("%d", progress).isFalse();
    }
    Thread.sleep(LIMIT.multipliedBy(2));
    assertThat(patience.isOver(3)).isTrue();
    assertThat(patience.isOver(4)).as("it goes on after all").isFalse();
  }
}
