// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.harness;

import java.util.function.Consumer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Flink in this process: one TaskManager, and nobody beyond localhost can reach it. Whoever starts
 * it closes it, which ends its jobs. Any thread may call any method.
 */
public final class LocalCluster implements AutoCloseable {
  /** Key groups of every job here, and of the rings that such a job reads. */
  public static final int MAX_PARALLELISM = 128;

  private static final String LOCALHOST = "localhost";
  private static final String ANY_PORT = "0";

  private final MiniCluster cluster;
  private final Configuration configuration;

  private LocalCluster(MiniCluster cluster, Configuration configuration) {
    this.cluster = cluster;
    this.configuration = configuration;
  }

  /**
   * Starts Flink and returns when it can take jobs.
   *
   * @param special what this cluster and its jobs are told beyond the usual; wins over it
   */
  public static LocalCluster start(ClusterSize size, Configuration special) throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(RestOptions.BIND_ADDRESS, LOCALHOST);
    configuration.set(RestOptions.ADDRESS, LOCALHOST);
    configuration.set(RestOptions.BIND_PORT, ANY_PORT);
    configuration.set(JobManagerOptions.BIND_HOST, LOCALHOST);
    configuration.set(TaskManagerOptions.BIND_HOST, LOCALHOST);
    configuration.set(TaskManagerOptions.HOST, LOCALHOST);
    size.writeTo(configuration);
    configuration.addAll(special);
    MiniCluster cluster =
        new MiniCluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(size.slots())
                .build());
    cluster.start();
    return new LocalCluster(cluster, configuration);
  }

  public String webUrl() throws Exception {
    return "http://" + LOCALHOST + ":" + cluster.getRestAddress().get().getPort();
  }

  /** Starts the job that is built in the environment. */
  public LocalJob submit(int parallelism, Consumer<StreamExecutionEnvironment> build)
      throws Exception {
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    environment.setParallelism(parallelism);
    environment.setMaxParallelism(MAX_PARALLELISM);
    build.accept(environment);
    return new LocalJob(
        cluster, cluster.submitJob(environment.getStreamGraph().getJobGraph()).get().getJobID());
  }

  @Override
  public void close() {
    cluster.closeAsync().join();
  }
}
