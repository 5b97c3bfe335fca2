// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.PipedReader;
import java.io.PipedWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class TapAnswersTest {
  private static final Duration MOMENT = Duration.ofMillis(50);
  private static final Duration LONG = Duration.ofSeconds(20);
  private static final String TOLD =
      "{\"source_packets\": %d, \"lost_before_tap\": 0, \"offered\": 0, \"parsed\": 0,"
          + " \"malformed\": {}, \"notices\": {}, \"ended\": %b}\n";

  @Test
  void shouldNotWaitForATapThatHangs() throws Exception {
    try (PipedWriter tap = new PipedWriter()) {
      TapAnswers answers = TapAnswers.hear(new BufferedReader(new PipedReader(tap)));
      assertThat(answers.awaitMoreThan(0, MOMENT)).isFalse();
      tap.write(String.format(TOLD, 7, false));
      tap.flush();
      assertThat(answers.awaitMoreThan(0, LONG)).isTrue();
      assertThat(answers.latest().seen()).isEqualTo(7);
      assertThat(answers.awaitMoreThan(answers.count(), MOMENT)).isFalse();
    }
  }

  @Test
  void shouldKeepTheLastWordOfATapThatEnded() throws Exception {
    TapAnswers answers;
    try (PipedWriter tap = new PipedWriter()) {
      answers = TapAnswers.hear(new BufferedReader(new PipedReader(tap)));
      tap.write("# a JVM that crashes says so here\n");
      tap.write(String.format(TOLD, 9, true));
      tap.write(String.format(TOLD, 8, false));
    }
    answers.awaitEnd(LONG);
    assertThat(answers.awaitMoreThan(answers.count(), LONG)).as("no more comes").isTrue();
    assertThat(answers.latest().seen()).isEqualTo(9);
  }
}
