// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.ReleaseMode;
import dev.flowstone.offheap.Reason;
import dev.flowstone.offheap.ring.RingDirectory;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.JobManagerOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.jobmaster.JobResult;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;

/** Flink in this process: one cluster, and a small job for each pass of a capture. */
final class InspectFlink implements AutoCloseable {
  /** Also the number of a capture's rings. */
  static final int PARALLELISM = 2;

  static final int MAX_PARALLELISM = 128;

  private static final MemorySize NETWORK_MEMORY = MemorySize.ofMebiBytes(16);
  private static final MemorySize MANAGED_MEMORY = MemorySize.ofMebiBytes(1);

  private final MiniCluster cluster;
  private final Configuration configuration;

  private InspectFlink(MiniCluster cluster, Configuration configuration) {
    this.cluster = cluster;
    this.configuration = configuration;
  }

  /** A cluster that runs up to {@code jobs} jobs at a time and listens on localhost only. */
  static InspectFlink start(int jobs) throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(RestOptions.BIND_ADDRESS, "localhost");
    configuration.set(RestOptions.ADDRESS, "localhost");
    configuration.set(RestOptions.BIND_PORT, "0");
    configuration.set(JobManagerOptions.BIND_HOST, "localhost");
    configuration.set(TaskManagerOptions.BIND_HOST, "localhost");
    configuration.set(TaskManagerOptions.HOST, "localhost");
    configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, NETWORK_MEMORY);
    configuration.set(TaskManagerOptions.NETWORK_MEMORY_MAX, NETWORK_MEMORY);
    configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MANAGED_MEMORY);
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    MiniCluster cluster =
        new MiniCluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(jobs * PARALLELISM)
                .build());
    cluster.start();
    return new InspectFlink(cluster, configuration);
  }

  /** Starts the job that counts what is in rings; they must have been made. */
  CompletableFuture<TrafficSummary> summarise(RingDirectory rings, InspectLimits limits) {
    return readToTheEnd(rings, new SummaryOperator(limits))
        .thenApply(result -> result.getAccumulatorResult(SummaryOperator.ACCUMULATOR));
  }

  /** Starts the job that sorts the times of a few flows in rings; they must have been made. */
  CompletableFuture<List<FlowGaps>> sortTimes(RingDirectory rings, List<UnsortedFlow> flows) {
    return readToTheEnd(rings, new FlowTimesOperator(flows))
        .thenApply(result -> result.getAccumulatorResult(FlowTimesOperator.ACCUMULATOR));
  }

  private CompletableFuture<JobExecutionResult> readToTheEnd(
      RingDirectory rings, OneInputStreamOperator<PacketBlock, Void> operator) {
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    environment.setParallelism(PARALLELISM);
    environment.setMaxParallelism(MAX_PARALLELISM);
    FpgaSource source =
        FpgaSource.builder()
            .ringDirectory(rings.path())
            .bounded()
            .release(ReleaseMode.ON_READ)
            .build();
    environment
        .fromSource(source, WatermarkStrategy.noWatermarks(), "Rings")
        .transform("Inspect", Types.VOID, operator);
    return cluster
        .submitJob(environment.getStreamGraph().getJobGraph())
        .thenCompose(submission -> cluster.requestJobResult(submission.getJobID()))
        .thenApply(InspectFlink::resultOf);
  }

  private static JobExecutionResult resultOf(JobResult result) {
    try {
      return result.toJobExecutionResult(InspectFlink.class.getClassLoader());
    } catch (Exception e) {
      throw failure(e);
    }
  }

  private static InspectException failure(Exception e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return switch (root) {
      case InspectException known -> known;
      case OutOfMemoryError full -> InspectException.outOfMemory(full);
      default -> new InspectException("the Flink job failed: " + Reason.of(root), e);
    };
  }

  @Override
  public void close() {
    cluster.closeAsync().join();
  }
}
