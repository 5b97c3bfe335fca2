// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.harness.KafkaTopic;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * A cluster carries a capture to Kafka while its only TaskManager is killed; another one takes its
 * place, and the rings hold the traffic meanwhile.
 */
final class KilledTaskManager {
  private final DeploymentCommands commands;
  private final Path folder;
  private final Path rings;
  private final KafkaTopic topic;

  KilledTaskManager(DeploymentCommands commands, Path folder, Path rings, KafkaTopic topic) {
    this.commands = commands;
    this.folder = folder;
    this.rings = rings;
    this.topic = topic;
  }

  /** Sends the bounded job to a cluster. */
  interface Submission {
    /**
     * Returns what names the job somewhere.
     *
     * @param web address of the cluster
     */
    String to(String web) throws Exception;
  }

  /** Does all of it. */
  void survive(Submission submission) throws Exception {
    String web = SaidWords.web(commands.cluster("start", "--web-port", "0", "--slots", "2"));
    List<ProcessHandle> processes;
    try (FlinkRest rest = new FlinkRest(web)) {
      processes = carry(rest, () -> SaidWords.jobId(submission.to(web)));
    } finally {
      commands.cluster("stop");
    }
    assertThat(processes).hasSize(2).noneMatch(ProcessHandle::isAlive);
  }

  private List<ProcessHandle> carry(FlinkRest rest, Callable<String> submission) throws Exception {
    long offered;
    try (ReplayedTap tap = ReplayedTap.start(folder, rings);
        ToldByPage page = new ToldByPage(rest.address(), rings)) {
      String job = submission.call();
      tap.awaitCheckpoint();
      page.awaitStages(1);
      long deathMs = System.currentTimeMillis();
      ClusterStatus.of(commands).kill("taskmanager-1");
      page.awaitRestart(folder, deathMs);
      tap.awaitCheckpoint();
      offered = tap.end();
      rest.awaitFinished(job);
    }
    ReplayedTap.requireBalance(topic, offered);
    ClusterStatus after = ClusterStatus.of(commands);
    assertThat(after.said())
        .contains("TaskManagers: 1  slots free: 2 of 2")
        .containsPattern("taskmanager-1 pid \\d+ since .*, restarts: 1");
    return after.processes();
  }
}
