// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.jobs.platform.PlatformJob;
import dev.flowstone.jobs.platform.PlatformOptions;
import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.runtime.client.JobExecutionException;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Flink in this process, with its web UI on localhost, and the one job it runs. */
final class DemoFlink implements AutoCloseable {
  static final int MAX_PARALLELISM = 128;
  private static final Duration CHECKPOINT_INTERVAL = Duration.ofSeconds(1);
  private static final MemorySize NETWORK_MEMORY = MemorySize.ofMebiBytes(32);
  private static final MemorySize MANAGED_MEMORY = MemorySize.ofMebiBytes(64);

  private final MiniCluster cluster;
  private final Configuration configuration;
  private JobID job;

  private DemoFlink(MiniCluster cluster, Configuration configuration) {
    this.cluster = cluster;
    this.configuration = configuration;
  }

  static DemoFlink start(int webPort, int slots, Path checkpoints) throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(RestOptions.BIND_ADDRESS, "localhost");
    configuration.set(RestOptions.ADDRESS, "localhost");
    configuration.set(RestOptions.BIND_PORT, Integer.toString(webPort));
    configuration.set(RestOptions.PORT, webPort);
    configuration.set(JobManagerOptions.BIND_HOST, "localhost");
    configuration.set(TaskManagerOptions.BIND_HOST, "localhost");
    configuration.set(TaskManagerOptions.HOST, "localhost");
    configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, NETWORK_MEMORY);
    configuration.set(TaskManagerOptions.NETWORK_MEMORY_MAX, NETWORK_MEMORY);
    configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MANAGED_MEMORY);
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, CHECKPOINT_INTERVAL);
    configuration.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, checkpoints.toUri().toString());
    // All that Flink puts aside lies where the demo cleans up.
    configuration.set(CoreOptions.TMP_DIRS, checkpoints.resolveSibling("flink").toString());
    configuration.set(WebOptions.TMP_DIR, checkpoints.resolveSibling("flink-web").toString());
    configuration.set(WebOptions.UPLOAD_DIR, checkpoints.resolveSibling("flink-upload").toString());
    configuration.setString("metrics.reporters", "demo");
    configuration.setString(
        "metrics.reporter.demo.factory.class", FlinkCounters.Factory.class.getName());
    MiniCluster cluster =
        new MiniCluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(slots)
                .build());
    cluster.start();
    return new DemoFlink(cluster, configuration);
  }

  String webUrl() throws Exception {
    return "http://localhost:" + cluster.getRestAddress().get().getPort();
  }

  /** Starts the job that carries the rings' packets to Kafka and returns when all its tasks run. */
  void submit(PlatformOptions options, int parallelism) throws Exception {
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    environment.setParallelism(parallelism);
    environment.setMaxParallelism(MAX_PARALLELISM);
    PlatformJob.build(environment, options);
    job = cluster.submitJob(environment.getStreamGraph().getJobGraph()).get().getJobID();
  }

  boolean isRunning() throws Exception {
    JobStatus status = cluster.getJobStatus(job).get(10, TimeUnit.SECONDS);
    return !status.isGloballyTerminalState();
  }

  /** Waits for the end of a job whose rings have ended; false: not yet. Throws its failure. */
  boolean awaitEnd(Duration limit) throws Exception {
    try {
      cluster
          .requestJobResult(job)
          .get(limit.toMillis(), TimeUnit.MILLISECONDS)
          .toJobExecutionResult(DemoFlink.class.getClassLoader());
      return true;
    } catch (TimeoutException running) {
      return false;
    } catch (JobExecutionException e) {
      throw new IOException("the Flink job failed: " + Reason.ofRoot(e), e);
    }
  }

  @Override
  public void close() {
    cluster.closeAsync().join();
  }
}
