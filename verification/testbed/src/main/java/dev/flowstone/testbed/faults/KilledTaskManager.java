// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.faults;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.testbed.browser.ToldByPage;
import dev.flowstone.testbed.flink.ClusterStatus;
import dev.flowstone.testbed.flink.DeploymentCommands;
import dev.flowstone.testbed.flink.FlinkRest;
import dev.flowstone.testbed.programs.SaidWords;
import dev.flowstone.testbed.rings.ReplayedTap;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * A cluster carries a capture to Kafka while its only TaskManager is killed. Another TaskManager
 * takes its place, and the rings hold the traffic meanwhile. A sequel may change the job before the
 * tap ends.
 */
public final class KilledTaskManager {
  private final DeploymentCommands commands;
  private final Path folder;
  private final Path rings;
  private final KafkaTopic topic;

  public KilledTaskManager(DeploymentCommands commands, Path folder, Path rings, KafkaTopic topic) {
    this.commands = commands;
    this.folder = folder;
    this.rings = rings;
    this.topic = topic;
  }

  /** Sends the bounded job to a cluster. */
  public interface Submission {
    /**
     * Returns what names the job somewhere.
     *
     * @param web address of the cluster
     */
    String to(String web) throws Exception;
  }

  /** What is done to the job once its new TaskManager has completed a checkpoint. */
  public interface Sequel {
    /** Returns the id of the job that reads the rings to their end. */
    String after(FlinkRest rest, ReplayedTap tap, String job) throws Exception;
  }

  /** Does all of it, and nothing more to the job. */
  public void survive(Submission submission) throws Exception {
    survive(submission, (_, _, job) -> job);
  }

  /** Does all of it. */
  public void survive(Submission submission, Sequel sequel) throws Exception {
    String web = SaidWords.web(commands.cluster("start", "--web-port", "0", "--slots", "2"));
    List<ProcessHandle> processes;
    try (FlinkRest rest = new FlinkRest(web)) {
      processes = carry(rest, () -> SaidWords.jobId(submission.to(web)), sequel);
    } finally {
      commands.cluster("stop");
    }
    assertThat(processes).hasSize(2).noneMatch(ProcessHandle::isAlive);
  }

  private List<ProcessHandle> carry(FlinkRest rest, Callable<String> submission, Sequel sequel)
      throws Exception {
    long offered;
    try (ReplayedTap tap = ReplayedTap.start(folder, rings);
        ToldByPage page = new ToldByPage(rest.address(), rings)) {
      String job = submission.call();
      tap.awaitCheckpoint();
      page.awaitStages(1);
      long deathMs = System.currentTimeMillis();
      ClusterStatus.of(commands).kill("taskmanager-1");
      page.awaitRestart(deathMs);
      tap.awaitCheckpoint();
      String last = sequel.after(rest, tap, job);
      offered = tap.end();
      rest.awaitFinished(last);
    }
    ReplayedTap.requireBalance(topic, offered);
    ClusterStatus after = ClusterStatus.of(commands);
    assertThat(after.said())
        .contains("TaskManagers: 1  slots free: 2 of 2")
        .containsPattern("taskmanager-1 pid \\d+ since .*, restarts: 1");
    return after.processes();
  }
}
