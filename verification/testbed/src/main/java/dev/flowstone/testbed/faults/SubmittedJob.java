// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.faults;

import dev.flowstone.blocks.PacketBlockTypeInformation;
import dev.flowstone.blocks.WeightedBlock;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import dev.flowstone.jobs.platform.PlatformJob;
import dev.flowstone.jobs.platform.PlatformOptions;
import dev.flowstone.processes.LoopbackPorts;
import dev.flowstone.testbed.flink.FlinkRest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * The platform's source and sink with a {@link Saboteur} between them, as its submitter sees it:
 * Flink restarts it after each failure, and it ends with the rings. Its maker closes it. One
 * thread.
 */
final class SubmittedJob implements AutoCloseable {
  private static final Duration CHECKPOINT_INTERVAL = Duration.ofMillis(200);
  private static final Duration RESTART_DELAY = Duration.ofMillis(100);
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final int MAX_PARALLELISM = 128;

  private final PlatformOptions options;
  private final List<Path> rings;
  private final Path savepoints;
  private final Configuration configuration = new Configuration();
  private JobClient job;
  private int restPort;

  /**
   * @param rings folders of all taps
   * @param checkpoints where to keep them
   * @param savepoints where to keep those
   */
  SubmittedJob(PlatformOptions options, List<Path> rings, Path checkpoints, Path savepoints) {
    this.options = options;
    this.rings = rings;
    this.savepoints = savepoints;
    configuration.set(PipelineOptions.MAX_PARALLELISM, MAX_PARALLELISM);
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, CHECKPOINT_INTERVAL);
    configuration.set(CheckpointingOptions.CHECKPOINTS_DIRECTORY, checkpoints.toUri().toString());
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    configuration.set(
        RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, Integer.MAX_VALUE);
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, RESTART_DELAY);
  }

  /** Starts it in this process, with its last savepoint if it has one. */
  void start(int parallelism) throws Exception {
    restPort = LoopbackPorts.claimFree();
    configuration.set(RestOptions.BIND_PORT, "" + restPort);
    configuration.set(RestOptions.CACHE_CHECKPOINT_STATISTICS_TIMEOUT, CHECKPOINT_INTERVAL);
    start(StreamExecutionEnvironment.createLocalEnvironment(parallelism, configuration));
  }

  /** Starts it on a cluster. */
  void start(int parallelism, FlinkProcesses cluster) throws Exception {
    StreamExecutionEnvironment environment = cluster.environment(configuration);
    environment.setParallelism(parallelism);
    start(environment);
  }

  private void start(StreamExecutionEnvironment environment) throws Exception {
    environment
        .fromSource(source(), WatermarkStrategy.noWatermarks(), "Rings")
        .uid("rings")
        .map(new Saboteur())
        .returns(PacketBlockTypeInformation.INSTANCE)
        .uid("saboteur")
        .map(WeightedBlock::plain)
        .uid("every-packet")
        .sinkTo(PlatformJob.sink(options))
        .uid("kafka");
    job = environment.executeAsync(options.topic);
  }

  private FpgaSource source() {
    FpgaSourceBuilder source = FpgaSource.builder().bounded().blockRecords(options.batches.packets);
    rings.forEach(source::ringDirectory);
    return source.build();
  }

  /** Connects to the JobManager in this process. The caller closes the connection. */
  FlinkRest rest() {
    return new FlinkRest("http://" + LoopbackPorts.HOST + ":" + restPort);
  }

  /** Returns the number of checkpoints that failed since the last start. */
  long failedCheckpoints(FlinkRest rest) throws Exception {
    return rest.get("/jobs/" + job.getJobID() + "/checkpoints").at("/counts/failed").asLong();
  }

  /** Returns when it is gone. */
  void stopWithSavepoint() throws Exception {
    String savepoint =
        job.stopWithSavepoint(false, savepoints.toUri().toString(), SavepointFormatType.CANONICAL)
            .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    finish();
    configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint);
  }

  /** Waits for its good end. */
  void finish() throws Exception {
    job.getJobExecutionResult().get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    job = null;
  }

  @Override
  public void close() {
    if (job != null) {
      try {
        job.cancel().orTimeout(LIMIT.toSeconds(), TimeUnit.SECONDS).join();
      } catch (CompletionException | IllegalStateException ended) {
        // It failed for good, which its test has heard of.
      }
    }
  }
}
