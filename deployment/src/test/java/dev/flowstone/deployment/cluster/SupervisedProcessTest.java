// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.processes.JavaProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SupervisedProcessTest {
  private static final long LITTLE_NS = 1;

  /** The shell takes the options of a JVM, which follow, for its script's arguments. */
  private static final String[] LASTING = {"sh", "-c", "exec sleep 60"};

  @TempDir private Path folder;
  private SupervisedProcess process;
  private long nowNs = 1_000;

  /** The command that stands for the JVM decides how it lives. */
  private void supervise(Path place, String... command) {
    process =
        new SupervisedProcess(
            JavaProgram.of("child", "Nothing", List.of()).withLauncher(command), place);
  }

  @AfterEach
  void end() {
    process.end(Duration.ofSeconds(10));
  }

  private Optional<String> lookAfter(Duration time) {
    nowNs += time.toNanos();
    return process.look(nowNs);
  }

  private void requireStart() {
    assertThat(process.look(nowNs).orElseThrow()).contains("child pid ");
  }

  /** It ends as soon as it can, and at this test's time when that is said. */
  private void requireEnd(Duration pause) throws InterruptedException {
    Optional<String> said = process.look(nowNs);
    while (said.isEmpty()) {
      Thread.sleep(1);
      said = process.look(nowNs);
    }
    assertThat(said.orElseThrow())
        .contains("the child ", "starting it again in " + pause.toMillis() + " ms", "child.log");
    assertThat(process.describe())
        .startsWith("child is down")
        .containsPattern("\n  \\S+Z the child failed|\n  \\S+Z the child ended with");
  }

  private void requireStartAfter(Duration pause) {
    assertThat(lookAfter(pause.minusNanos(LITTLE_NS))).as("before " + pause).isEmpty();
    assertThat(lookAfter(Duration.ofNanos(LITTLE_NS))).as("after " + pause).isPresent();
  }

  @Test
  void shouldStartLaterAndLaterWhatDoesNotLiveLong() throws Exception {
    supervise(folder, "false");
    requireStart();
    for (int milliseconds : new int[] {500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000}) {
      Duration pause = Duration.ofMillis(milliseconds);
      requireEnd(pause);
      requireStartAfter(pause);
    }
    assertThat(process.describe().lines().findFirst().orElseThrow()).endsWith(", restarts: 8");
    nowNs += Duration.ofMinutes(1).toNanos();
    requireEnd(Duration.ofMillis(500));
  }

  @Test
  void shouldTryAgainWhatCannotBeStarted() throws Exception {
    Path later = folder.resolve("later");
    supervise(later, LASTING);
    assertThat(process.look(nowNs).orElseThrow())
        .contains("the child cannot be started: ", "starting it again in 500 ms");
    assertThat(process.describe())
        .startsWith("child is down\n")
        .contains("the child cannot be started: ");
    Files.createDirectory(later);
    requireStartAfter(Duration.ofMillis(500));
    assertThat(process.describe()).contains("child pid ", ", restarts: 1");
  }

  @Test
  void shouldTellHowItEndedWhenItRunsAgain() throws Exception {
    supervise(folder, LASTING);
    String first = process.look(nowNs).orElseThrow();
    assertThat(process.describe()).as("it has not ended").hasLineCount(1);
    String pid = first.replaceFirst(".* pid (\\d+) .*", "$1");
    assertThat(ProcessHandle.of(Long.parseLong(pid)).orElseThrow().destroyForcibly()).isTrue();
    requireEnd(Duration.ofMillis(500));
    requireStartAfter(Duration.ofMillis(500));
    assertThat(process.describe().lines().toList())
        .hasSize(2)
        .satisfiesExactly(
            now -> assertThat(now).contains("child pid ").endsWith(", restarts: 1"),
            before -> assertThat(before).containsPattern("^  \\S+Z the child ended with SIGKILL"));
  }

  @Test
  void shouldNotStartAgainWhatIsToEnd() throws Exception {
    supervise(folder, LASTING);
    requireStart();
    process.askToEnd();
    process.end(Duration.ofSeconds(10));
    assertThat(lookAfter(Duration.ofHours(1))).isEmpty();
  }
}
