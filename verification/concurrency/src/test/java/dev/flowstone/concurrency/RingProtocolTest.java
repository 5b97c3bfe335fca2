// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.concurrency;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs every jcstress case of the ring protocol; a forbidden outcome fails. */
class RingProtocolTest {
  private static final int CASES = 6;
  private static final Pattern SUMMARY =
      Pattern.compile(
          "Results: (\\d+) planned; (\\d+) passed, (\\d+) failed, (\\d+) soft errs, (\\d+) hard errs");

  @TempDir private Path folder;

  @Test
  void shouldShowNoForbiddenOutcome() throws Exception {
    // One JVM mode, compiled code only: about half a minute in all.
    run(
        CASES,
        120,
        "-f",
        "1",
        "-fsm",
        "1",
        "-iters",
        "2",
        "-time",
        "500",
        "-sc",
        "false",
        "-jvmArgs",
        "-Xmx256m");
  }

  @Test
  @Tag("slow")
  void shouldShowNoForbiddenOutcomeInAnyMode() throws Exception {
    run(CASES, 1_800, "-m", "default");
  }

  private void run(int leastRuns, int limitSeconds, String... options) throws Exception {
    Path output = folder.resolve("jcstress.out");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of("org.openjdk.jcstress.Main", "-r", folder.toString()));
    command.addAll(List.of(options));
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    boolean ended = process.waitFor(limitSeconds, TimeUnit.SECONDS);
    if (!ended) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly().waitFor();
    }
    requireOnlyPasses(Files.readString(output), ended, leastRuns);
    assertThat(process.exitValue()).isZero();
  }

  private static void requireOnlyPasses(String said, boolean ended, int leastRuns)
      throws IOException {
    assertThat(ended).as("ended in time:\n%s", said).isTrue();
    Matcher last = null;
    for (Matcher summary = SUMMARY.matcher(said); summary.find(); ) {
      last = SUMMARY.matcher(summary.group());
    }
    assertThat(last).as("a summary in:\n%s", said).isNotNull();
    assertThat(last.matches()).isTrue();
    int planned = Integer.parseInt(last.group(1));
    assertThat(planned).as("cases found").isGreaterThanOrEqualTo(leastRuns);
    assertThat(List.of(last.group(2), last.group(3), last.group(4), last.group(5)))
        .as("passed, failed, soft errors, hard errors of %d in:\n%s", planned, said)
        .containsExactly(Integer.toString(planned), "0", "0", "0");
  }
}
