// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.harness.ClusterSize;
import dev.flowstone.harness.LocalCluster;
import dev.flowstone.harness.LocalJob;
import java.time.Duration;
import java.util.function.Consumer;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** One job without end on a cluster of its own in this process; closing it cancels the job. */
final class FlinkRun implements AutoCloseable {
  private static final Duration CHECKPOINT_INTERVAL = Duration.ofSeconds(1);
  private static final int NETWORK_MEBIBYTES = 64;
  private static final int MANAGED_MEBIBYTES = 32;

  private final LocalCluster cluster;
  private final LocalJob job;
  private boolean isClosed;

  private FlinkRun(LocalCluster cluster, LocalJob job) {
    this.cluster = cluster;
    this.job = job;
  }

  static FlinkRun start(int parallelism, Consumer<StreamExecutionEnvironment> build)
      throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, CHECKPOINT_INTERVAL);
    LocalCluster cluster =
        LocalCluster.start(
            new ClusterSize(parallelism, NETWORK_MEBIBYTES, MANAGED_MEBIBYTES), configuration);
    try {
      return new FlinkRun(cluster, cluster.submit(parallelism, build));
    } catch (Exception e) {
      cluster.close();
      throw e;
    }
  }

  /** Throws what the job failed with, if it did; a window with a failed job in it is void. */
  void requireRunning() throws Exception {
    if (!job.isRunning()) {
      job.awaitEnd(Duration.ofSeconds(1));
      throw new IllegalStateException("the job ended while it was measured");
    }
  }

  /** May be called again: who reads back what the job wrote ends it before. */
  @Override
  public void close() {
    if (isClosed) {
      return;
    }
    isClosed = true;
    try (cluster) {
      job.cancel();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (Exception e) {
      throw new IllegalStateException("the job under measurement does not stop", e);
    }
  }
}
