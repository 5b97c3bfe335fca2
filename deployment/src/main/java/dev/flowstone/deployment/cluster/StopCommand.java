// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.cluster;

import dev.flowstone.monitoring.ClusterView;
import dev.flowstone.processes.ChildProcess;
import java.io.IOException;
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

  private static final long POLL_INTERVAL_MS = 100;

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
    folder
        .supervisor()
        .orElseThrow(
            () ->
                new IOException(
                    "the supervisor of "
                        + folder.path()
                        + " has only begun or is about to end: try again"))
        .destroy();
    awaitEnd(folder);
    running.forEach(
        job ->
            System.out.println(
                job.name()
                    + " ("
                    + job.id()
                    + ") ran; its checkpoints stay: see "
                    + folder.checkpoints().resolve(job.id())));
    System.out.println("the cluster has stopped");
    return 0;
  }

  private static void awaitEnd(ClusterFolder folder) throws IOException, InterruptedException {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    while (folder.isSupervised()) {
      if (System.nanoTime() - deadlineNs > 0) {
        throw new IOException(
            "the supervisor did not end within " + LIMIT.toSeconds() + " s; see " + folder.log());
      }
      Thread.sleep(POLL_INTERVAL_MS);
    }
  }
}
