// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FailureWordsTest {
  @Test
  void shouldSayWhatAndWhyInALine() {
    assertThat(
            FailureWords.of(
                """
                org.apache.flink.runtime.JobException: Recovery is suppressed
                \tat org.apache.flink.A.b(A.java:1)
                Caused by: java.io.IOException: the broker is gone
                \tat org.apache.flink.A.b(A.java:2)
                """))
        .isEqualTo(
            "JobException: Recovery is suppressed; because: IOException: the broker is gone");
  }

  @Test
  void shouldNotSayTheSameTwice() {
    assertThat(
            FailureWords.of(
                """
                java.lang.RuntimeException: java.io.IOException: full
                Caused by: java.io.IOException: full
                """))
        .isEqualTo("RuntimeException: java.io.IOException: full");
    assertThat(FailureWords.of("java.util.concurrent.TimeoutException: lost"))
        .isEqualTo("TimeoutException: lost");
    assertThat(FailureWords.of("")).isEqualTo("Flink does not say why");
  }

  @Test
  void shouldBeShort() {
    assertThat(FailureWords.of("x".repeat(10_000))).hasSizeLessThan(500);
  }

  /** What was behind it is what whoever mends it has to know. */
  @Test
  void shouldSayWhyHoweverLongItsFirstLineIs() {
    assertThat(FailureWords.of("x".repeat(10_000) + "\nCaused by: java.io.IOException: full\n"))
        .endsWith("; because: IOException: full");
  }
}
