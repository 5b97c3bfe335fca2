// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flowstone.commandline.EscapedText;
import dev.flowstone.deployment.DiskWatch;
import dev.flowstone.monitoring.ClusterView;
import dev.flowstone.monitoring.JobRestarts;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code ./flowstone cluster status}. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    description =
        "The cluster's processes, slots and jobs, which of them were started again, when and why;"
            + " exit status 1 when it cannot take jobs.")
final class StatusCommand implements Callable<Integer> {
  private static final int NOT_READY = 1;

  @Override
  public Integer call() throws Exception {
    ClusterFolder folder = ClusterFolder.find();
    if (!folder.isSupervised()) {
      System.out.println("no cluster runs here; ./flowstone cluster start");
      return NOT_READY;
    }
    new StatusFile(folder.status()).read().forEach(line -> System.out.println("  " + line));
    new DiskWatch(folder.checkpoints()).news(0).ifPresent(System.out::println);
    ClusterView view = ClusterView.of(folder.configuration());
    Optional<JsonNode> overview = view.overview();
    if (overview.isEmpty()) {
      System.out.println("the JobManager does not answer at " + view.address());
      return NOT_READY;
    }
    System.out.printf(
        "%s  TaskManagers: %d  slots free: %d of %d%n",
        view.address(),
        overview.get().path("taskmanagers").asInt(),
        overview.get().path("slots-available").asInt(),
        overview.get().path("slots-total").asInt());
    for (ClusterView.Job job : view.jobs().orElse(List.of())) {
      System.out.printf("  %s  %-10s %s%n", job.id(), job.state(), EscapedText.of(job.name()));
      told(view, job).forEach(line -> System.out.println("    " + line));
    }
    return overview.get().path("taskmanagers").asInt() > 0 ? 0 : NOT_READY;
  }

  private static List<String> told(ClusterView view, ClusterView.Job job)
      throws InterruptedException {
    return job.isAtWork()
        ? JobRestarts.of(view, job.id()).lines()
        : JobRestarts.failureOf(view, job.id()).stream().toList();
  }
}
