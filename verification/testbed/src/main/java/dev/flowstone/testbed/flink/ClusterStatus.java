// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.flink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.processes.ChildProcess;
import dev.flowstone.testbed.programs.Programs;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What {@code ./flowstone cluster status} said. */
public record ClusterStatus(String said) {
  private static final Pattern PROCESS = Pattern.compile("(\\S+) pid (\\d+)");

  public static ClusterStatus of(DeploymentCommands commands) throws Exception {
    return new ClusterStatus(commands.cluster("status"));
  }

  /** Asks until it answers so. */
  public static ClusterStatus await(DeploymentCommands commands, Duration limit, String... words)
      throws Exception {
    long deadlineNs = System.nanoTime() + limit.toNanos();
    while (true) {
      try (ChildProcess status = commands.startCluster("status")) {
        Programs.awaitStatus(status, limit);
        if (Stream.of(words).allMatch(status.output()::contains)) {
          return new ClusterStatus(status.output());
        }
        assertThat(System.nanoTime()).as(status.output()).isLessThan(deadlineNs);
      }
    }
  }

  public List<ProcessHandle> processes() {
    return PROCESS
        .matcher(said)
        .results()
        .flatMap(found -> ProcessHandle.of(Long.parseLong(found.group(2))).stream())
        .toList();
  }

  public ProcessHandle supervisor() {
    return processes().getFirst().parent().orElseThrow();
  }

  /** Of those whose names begin so. */
  public List<Long> pids(String names) {
    return PROCESS
        .matcher(said)
        .results()
        .filter(found -> found.group(1).startsWith(names))
        .map(found -> Long.valueOf(found.group(2)))
        .toList();
  }

  /** SIGKILL; returns when it is gone. */
  public void kill(String name) {
    ProcessHandle process =
        PROCESS
            .matcher(said)
            .results()
            .filter(found -> found.group(1).equals(name))
            .flatMap(found -> ProcessHandle.of(Long.parseLong(found.group(2))).stream())
            .findFirst()
            .orElseThrow(() -> new AssertionError(name + " does not run: " + said));
    process.destroyForcibly();
    process.onExit().join();
  }
}
