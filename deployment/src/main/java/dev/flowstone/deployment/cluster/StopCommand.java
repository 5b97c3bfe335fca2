// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.cluster;

import dev.flowstone.monitoring.ClusterView;
import dev.flowstone.processes.ChildProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code ./flowstone cluster stop}. */
@Command(
    name = "stop",
    mixinStandardHelpOptions = true,
    description = "Ends the cluster and what runs on it; the jobs' checkpoints stay.")
final class StopCommand implements Callable<Integer> {
  /** What the supervisor gives its processes, and the kernel takes for those that it must kill. */
  private static final Duration LIMIT = Supervisor.STOP_LIMIT.plus(ChildProcess.KILL_LIMIT);

  @Override
  public Integer call() throws Exception {
    ClusterFolder folder = ClusterFolder.find();
    if (!folder.isSupervised()) {
      System.out.println("no cluster runs here");
      return 0;
    }
    List<ClusterView.Job> running =
        ClusterView.of(folder.configuration()).jobs().orElse(List.of()).stream()
            .filter(ClusterView.Job::isAtWork)
            .toList();
    folder.supervision().stop(LIMIT);
    running.forEach(
        job ->
            System.out.println(
                job.name() + " (" + job.id() + ") was running; its checkpoints are kept"));
    System.out.println("the cluster has stopped");
    return 0;
  }
}
