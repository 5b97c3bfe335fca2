// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProgressTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Steps FOUR_MINUTES = new Steps(4, MINUTE.multipliedBy(4));

  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private long nowNs;

  private Progress progress(boolean isTerminal) {
    PrintStream out = new PrintStream(written, true, StandardCharsets.UTF_8);
    return new Progress("bench kafka", FOUR_MINUTES, out, isTerminal, () -> nowNs);
  }

  private void passSeconds(long seconds) {
    nowNs += Duration.ofSeconds(seconds).toNanos();
  }

  private List<String> lines() {
    return List.of(written.toString(StandardCharsets.UTF_8).split("\n", -1));
  }

  @Test
  void shouldReportStepsAndALowerBoundOfTheTimeAtFirst() {
    progress(false).startStep("batches", MINUTE);

    assertThat(lines())
        .containsExactly("bench kafka: step 1 of 4: batches; at least 4 min left", "");
  }

  @Test
  void shouldAddTheTimeThatPreparationTakes() {
    Progress progress = progress(false);
    passSeconds(20);
    progress.startStep("batches", MINUTE);
    passSeconds(70);
    progress.startStep("singles", MINUTE);

    // 90 s for a step of 60 s, so three more take 270 s.
    assertThat(lines()).contains("bench kafka: step 2 of 4: singles; about 5 min left");
  }

  @Test
  void shouldRewriteOneLineOnATerminal() {
    Progress progress = progress(true);
    progress.startStep("batches", MINUTE);
    passSeconds(40);
    progress.tick();
    progress.print("starting a broker");

    assertThat(lines())
        .contains(
            "\r\033[Kbench kafka: 40 s; at least 3 min left"
                .concat("\r\033[Kbench kafka: starting a broker"));
  }

  @Test
  void shouldStopRewritingWhenClosed() {
    Progress progress = progress(true);
    passSeconds(130);
    progress.close();
    progress.tick();

    assertThat(lines()).containsExactly("\r\033[Kbench kafka: ended after 2 min", "");
  }
}
