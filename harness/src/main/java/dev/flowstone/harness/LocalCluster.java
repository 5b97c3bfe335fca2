// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.harness;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.runtime.rpc.RpcSystem;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Reference;

/**
 * Flink in this process: one TaskManager, and nobody beyond localhost can reach it. Whoever starts
 * it closes it, which ends its jobs. Any thread may call any method.
 */
public final class LocalCluster implements AutoCloseable {
  /** Key groups of every job here that is not told otherwise, and of the rings that it reads. */
  public static final int MAX_PARALLELISM = 128;

  private static final String LOCALHOST = "localhost";
  private static final String ANY_PORT = "0";

  /** Longer than a busy machine needs, and short enough for whoever waits. */
  private static final Duration START_LIMIT = Duration.ofMinutes(2);

  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(15);

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
    return start(size, special, MiniCluster::new);
  }

  /**
   * The same for who starts many.
   *
   * @param rpc loaded once for all of them: Flink would do so for each, which takes longer than
   *     what else a start does
   */
  public static LocalCluster start(ClusterSize size, Configuration special, RpcSystem rpc)
      throws Exception {
    return start(size, special, told -> new MiniCluster(told, () -> Reference.borrowed(rpc)));
  }

  private static LocalCluster start(
      ClusterSize size,
      Configuration special,
      Function<MiniClusterConfiguration, MiniCluster> newCluster)
      throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(RestOptions.BIND_ADDRESS, LOCALHOST);
    configuration.set(RestOptions.ADDRESS, LOCALHOST);
    configuration.set(RestOptions.BIND_PORT, ANY_PORT);
    configuration.set(JobManagerOptions.BIND_HOST, LOCALHOST);
    configuration.set(TaskManagerOptions.BIND_HOST, LOCALHOST);
    configuration.set(TaskManagerOptions.HOST, LOCALHOST);
    configuration.set(PipelineOptions.MAX_PARALLELISM, MAX_PARALLELISM);
    // As flink-conf has it.
    configuration.set(PipelineOptions.OBJECT_REUSE, true);
    size.writeTo(configuration);
    configuration.addAll(special);
    MiniCluster cluster =
        newCluster.apply(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(size.slots())
                .build());
    cluster.start();
    LocalCluster started = new LocalCluster(cluster, configuration);
    try {
      started.awaitLeaders();
      return started;
    } catch (IOException | InterruptedException e) {
      started.close();
      throw e;
    }
  }

  /**
   * Flink says that it has started while it still makes its leaders in other threads; closed in
   * that moment it waits for itself for ever, where the machine has but two processors. A leader
   * holds its lock while it waits for an answer that a thread of the common pool has to bring, and
   * the only one there waits for that lock, so as to close.
   */
  private void awaitLeaders() throws IOException, InterruptedException {
    try {
      CompletableFuture.allOf(cluster.listJobs(), cluster.getResourceOverview())
          .get(START_LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IOException("Flink did not come up: " + e.getCause(), e);
    } catch (TimeoutException e) {
      throw new IOException(
          "Flink did not come up within " + START_LIMIT.toSeconds() + " s; is the machine busy?",
          e);
    }
  }

  public String webUrl() throws Exception {
    return "http://"
        + LOCALHOST
        + ":"
        + cluster.getRestAddress().get(START_LIMIT.toSeconds(), TimeUnit.SECONDS).getPort();
  }

  /** Starts the job that is built in the environment. */
  public LocalJob submit(int parallelism, Consumer<StreamExecutionEnvironment> build)
      throws Exception {
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    environment.setParallelism(parallelism);
    build.accept(environment);
    return new LocalJob(
        cluster,
        cluster
            .submitJob(environment.getStreamGraph().getJobGraph())
            .get(START_LIMIT.toSeconds(), TimeUnit.SECONDS)
            .getJobID());
  }

  /** Whether its leader answers; one whose memory ran out does not, and its jobs never end. */
  public boolean isAlive(Duration limit) throws InterruptedException {
    try {
      cluster.listJobs().get(limit.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (ExecutionException | TimeoutException | IllegalStateException gone) {
      return false;
    }
  }

  /** Returns when it is closed, or after a while: what hangs in it then ends with this process. */
  @Override
  public void close() {
    if (!close(CLOSE_LIMIT)) {
      System.err.println(
          "warning: Flink did not close within "
              + CLOSE_LIMIT.toSeconds()
              + " s and ends with this process");
    }
  }

  /** False: not yet; what hangs in it then ends with this process. */
  public boolean close(Duration limit) {
    try {
      cluster.closeAsync().get(limit.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    } catch (ExecutionException e) {
      throw new CompletionException("Flink cannot be closed", e.getCause());
    }
  }
}
