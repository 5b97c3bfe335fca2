// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.cluster;

import dev.flowstone.monitoring.ClusterView;
import java.io.IOException;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** The names of the jobs that a cluster runs, or is about to run again. */
public final class JobNames {
  private JobNames() {}

  /**
   * Rejects a name that is in use: two jobs of one name have one place for their state and one
   * transaction prefix at Kafka, by which they would fence each other.
   *
   * @param stopCommand what stops the job of an id
   */
  public static void requireFree(
      String name, ClusterView cluster, UnaryOperator<String> stopCommand)
      throws IOException, InterruptedException {
    Optional<ClusterView.Job> namesake =
        cluster
            .jobs()
            .orElseThrow(() -> new IOException("no Flink answers at " + cluster.address()))
            .stream()
            .filter(job -> job.isAtWork() && job.name().equals(name))
            .findFirst();
    if (namesake.isPresent()) {
      String id = namesake.get().id();
      throw new IllegalStateException(
          "the cluster has a job \"%s\" already (%s, %s): give this one a name of its own (--name), or end that one: %s"
              .formatted(name, id, namesake.get().state(), stopCommand.apply(id)));
    }
  }

  /** The same for the cluster of this user, if one runs here. */
  public static void requireFree(String name) throws IOException, InterruptedException {
    ClusterFolder own = ClusterFolder.find();
    if (own.isSupervised()) {
      requireFree(name, ClusterView.of(own.configuration()), id -> "./flowstone flink stop " + id);
    }
  }
}
