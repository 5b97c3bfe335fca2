// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RepeatedReasonTest {
  private final RepeatedReason reasons = new RepeatedReason();

  @Test
  void reportsEachDoublingOfTheSameReason() {
    assertThat(IntStream.rangeClosed(1, 20).filter(_ -> reasons.isNews("disk full")))
        .containsExactly(1, 2, 4, 8, 16);
  }

  @Test
  void reportsAnotherReasonAtOnce() {
    IntStream.range(0, 3).forEach(_ -> reasons.isNews("disk full"));
    assertThat(reasons.isNews("broker is unreachable")).isTrue();
    assertThat(reasons.isNews("disk full")).isTrue();
  }
}
