// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.ReleaseMode;
import dev.flowstone.harness.ClusterSize;
import dev.flowstone.harness.LocalCluster;
import dev.flowstone.harness.LocalJob;
import dev.flowstone.jobs.inspect.count.BlockCounter;
import dev.flowstone.jobs.inspect.count.InspectException;
import dev.flowstone.offheap.Reason;
import dev.flowstone.offheap.ring.RingDirectory;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.RpcOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.function.SerializableSupplier;

/** Flink in this process: one cluster, and a small job for each pass of a capture. */
final class InspectFlink implements AutoCloseable {
  /** Also the number of a capture's rings. */
  static final int PARALLELISM = 2;

  private static final int NETWORK_MEBIBYTES = 16;
  private static final int MANAGED_MEBIBYTES = 1;

  /** Longer than its garbage collector may be at work. */
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(20);

  private final LocalCluster cluster;

  private final FlinkWatch watch;

  private InspectFlink(LocalCluster cluster) {
    this.cluster = cluster;
    watch = FlinkWatch.start(() -> cluster.isAlive(ANSWER_LIMIT));
  }

  /** A cluster that runs up to {@code jobs} jobs at a time. */
  static InspectFlink start(int jobs) throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    configuration.set(PipelineOptions.NAME, "Flowstone inspect");
    // Whoever runs out of memory is to be told so, which a JVM that exits at once does not.
    configuration.set(RpcOptions.JVM_EXIT_ON_FATAL_ERROR, false);
    ClusterSize size = new ClusterSize(jobs * PARALLELISM, NETWORK_MEBIBYTES, MANAGED_MEBIBYTES);
    return new InspectFlink(LocalCluster.start(size, configuration));
  }

  /**
   * Starts a job that reads rings to their end; they must have been made.
   *
   * @param counters makes each subtask's counter
   * @return what the counters found, once the job has ended
   */
  <T> CompletableFuture<List<T>> count(
      RingDirectory rings, SerializableSupplier<BlockCounter<T>> counters) {
    try {
      LocalJob job =
          cluster.submit(PARALLELISM, environment -> build(environment, rings, counters));
      return watch.over(
          job.result()
              .handle((result, failure) -> resultOf(job.id(), result, failure))
              .thenApply(result -> result.getAccumulatorResult(CountOperator.FOUND)));
    } catch (Exception e) {
      throw failure(e);
    }
  }

  private static <T> void build(
      StreamExecutionEnvironment environment,
      RingDirectory rings,
      SerializableSupplier<BlockCounter<T>> counters) {
    FpgaSource source =
        FpgaSource.builder()
            .ringDirectory(rings.path())
            .bounded()
            .release(ReleaseMode.ON_READ)
            .build();
    environment
        .fromSource(source, WatermarkStrategy.noWatermarks(), "Rings")
        .transform("Inspect", Types.VOID, new CountOperator<>(counters));
  }

  /** What the job came to; what a counter of it failed with before what Flink says of it. */
  static JobExecutionResult resultOf(JobID job, JobExecutionResult result, Throwable failure) {
    Optional<Throwable> ofCounter = CounterFailures.take(job);
    if (failure != null) {
      throw failure(ofCounter.orElse(failure));
    }
    return result;
  }

  private static InspectException failure(Throwable e) {
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
    watch.close();
    cluster.close();
  }
}
