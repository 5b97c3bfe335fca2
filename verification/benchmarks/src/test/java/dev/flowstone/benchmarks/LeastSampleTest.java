// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LeastSampleTest {
  private static final Duration THREE_SAMPLES = Duration.ofMillis(300);

  @Test
  void shouldFindTheTenthOfASecondInWhichNothingCame() {
    AtomicLong count = new AtomicLong();
    AtomicLong looks = new AtomicLong();
    // A sample looks at its begin and at its end: nothing came in the second.
    LeastSample samples =
        new LeastSample(
            () -> looks.getAndIncrement() / 2 == 1 ? count.get() : count.addAndGet(100));

    samples.await(THREE_SAMPLES);

    assertThat(samples.perSecond()).isZero();
    assertThat(samples.zeros()).isEqualTo(1);
  }

  @Test
  void shouldTellTheRateOfTheLeast() {
    AtomicLong count = new AtomicLong();
    LeastSample samples = new LeastSample(() -> count.addAndGet(100));

    samples.await(THREE_SAMPLES);

    // However late a busy machine takes a sample, its rate is that of its own time.
    assertThat(samples.perSecond()).isBetween(1.0, 1_000.0);
    assertThat(samples.zeros()).isZero();
  }
}
