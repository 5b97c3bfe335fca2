// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs every jcstress case of the ring protocol; a forbidden outcome fails. */
class RingProtocolTest {
  private static final int CASES = 13;
  private static final Pattern SUMMARY =
      Pattern.compile(
          "Results: (\\d+) planned; (\\d+) passed, (\\d+) failed, (\\d+) soft errs, (\\d+) hard errs");

  @TempDir private Path folder;

  @Test
  void shouldShowNoForbiddenOutcome() throws Exception {
    requireOnlyPasses(JcstressRun.run(folder, List.of(), 180, JcstressRun.QUICK));
  }

  @Test
  @Tag("slow")
  @Timeout(value = 65, unit = TimeUnit.MINUTES)
  void shouldShowNoForbiddenOutcomeInAnyMode() throws Exception {
    // Two forks of each mode under stress instead of five: half an hour instead of one.
    List<String> options = List.of("-m", "default", "-fsm", "2");
    requireOnlyPasses(JcstressRun.run(folder, List.of(), 3_600, options));
  }

  private static void requireOnlyPasses(String said) {
    Matcher last = null;
    for (Matcher summary = SUMMARY.matcher(said); summary.find(); ) {
      last = SUMMARY.matcher(summary.group());
    }
    assertThat(last).as("a summary in:\n%s", said).isNotNull();
    assertThat(last.matches()).isTrue();
    int planned = Integer.parseInt(last.group(1));
    assertThat(planned).as("cases found").isGreaterThanOrEqualTo(CASES);
    assertThat(List.of(last.group(2), last.group(3), last.group(4), last.group(5)))
        .as("passed, failed, soft errors, hard errors of %d in:\n%s", planned, said)
        .containsExactly(Integer.toString(planned), "0", "0", "0");
  }
}
