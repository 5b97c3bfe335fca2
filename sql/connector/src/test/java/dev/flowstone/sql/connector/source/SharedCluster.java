// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.source;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.core.execution.CheckpointType;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.util.TestStreamEnvironment;

/** A Flink for all queries of this JVM: to start one takes longer than most of them. */
final class SharedCluster {
  private static final int SLOTS = 4;

  private static MiniCluster cluster;

  private SharedCluster() {}

  static synchronized StreamExecutionEnvironment environment(
      Configuration configuration, int parallelism) throws Exception {
    if (cluster == null) {
      Configuration ports = new Configuration();
      ports.set(RestOptions.BIND_PORT, "0");
      cluster =
          new MiniCluster(
              new MiniClusterConfiguration.Builder()
                  .setConfiguration(ports)
                  .setNumTaskManagers(1)
                  .setNumSlotsPerTaskManager(SLOTS)
                  .build());
      cluster.start();
    }
    return new TestStreamEnvironment(cluster, configuration, parallelism, List.of(), List.of());
  }

  /** Takes one now, whatever the job's interval. */
  static synchronized CompletableFuture<Long> checkpoint(JobID job) {
    return cluster.triggerCheckpoint(job, CheckpointType.FULL);
  }
}
