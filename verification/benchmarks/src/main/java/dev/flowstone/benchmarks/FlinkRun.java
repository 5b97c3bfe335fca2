// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.connector.fpga.FpgaSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.DeploymentOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStreamSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** One job without end on a MiniCluster of its own in this process; closing it cancels the job. */
final class FlinkRun implements AutoCloseable {
  private static final MemorySize NETWORK_MEMORY = MemorySize.ofMebiBytes(64);
  private static final MemorySize MANAGED_MEMORY = MemorySize.ofMebiBytes(32);
  private static final long STOP_LIMIT_SECONDS = 60;

  private final JobClient job;

  private FlinkRun(JobClient job) {
    this.job = job;
  }

  /** Runs a job on the rings that a tap fills. */
  static FlinkRun start(int parallelism, Consumer<StreamExecutionEnvironment> build)
      throws Exception {
    return start(new StreamExecutionEnvironment(configuration()), parallelism, build);
  }

  /** Runs a job on rings that were filled before, lap after lap. */
  static FlinkRun startLapping(int parallelism, Consumer<StreamExecutionEnvironment> build)
      throws Exception {
    return start(new LappingEnvironment(configuration()), parallelism, build);
  }

  private static FlinkRun start(
      StreamExecutionEnvironment environment,
      int parallelism,
      Consumer<StreamExecutionEnvironment> build)
      throws Exception {
    environment.setParallelism(parallelism);
    environment.setMaxParallelism(FilledRings.MAX_PARALLELISM);
    build.accept(environment);
    return new FlinkRun(environment.executeAsync("Flowstone benchmark"));
  }

  private static Configuration configuration() {
    Configuration configuration = new Configuration();
    configuration.set(DeploymentOptions.TARGET, "local");
    configuration.set(DeploymentOptions.ATTACHED, true);
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(1));
    configuration.set(TaskManagerOptions.NETWORK_MEMORY_MIN, NETWORK_MEMORY);
    configuration.set(TaskManagerOptions.NETWORK_MEMORY_MAX, NETWORK_MEMORY);
    configuration.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MANAGED_MEMORY);
    return configuration;
  }

  /** The environment of a job that thinks it reads rings, while they are read lap after lap. */
  private static final class LappingEnvironment extends StreamExecutionEnvironment {
    LappingEnvironment(Configuration configuration) {
      super(configuration);
    }

    @Override
    @SuppressWarnings("unchecked") // an FpgaSource emits what the source put in its place emits
    public <T> DataStreamSource<T> fromSource(
        Source<T, ?, ?> source, WatermarkStrategy<T> watermarks, String name) {
      if (source instanceof FpgaSource rings) {
        return super.fromSource((Source<T, ?, ?>) new LappingSource(rings), watermarks, name);
      }
      return super.fromSource(source, watermarks, name);
    }

    @Override
    public void close() {
      try {
        super.close();
      } catch (Exception e) {
        throw new IllegalStateException("Flink's environment does not close", e);
      }
    }
  }

  /** Throws what the job failed with, if it did; a window with a failed job in it is void. */
  void requireRunning() throws Exception {
    JobStatus status = job.getJobStatus().get(STOP_LIMIT_SECONDS, TimeUnit.SECONDS);
    if (status != JobStatus.RUNNING) {
      job.getJobExecutionResult().get(STOP_LIMIT_SECONDS, TimeUnit.SECONDS);
      throw new IllegalStateException("the job ended while it was measured: " + status);
    }
  }

  @Override
  public void close() {
    try {
      stop();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("the job under measurement does not stop", e);
    }
  }

  private void stop() throws InterruptedException, ExecutionException, TimeoutException {
    CompletableFuture<JobExecutionResult> end = job.getJobExecutionResult();
    if (!end.isDone()) {
      job.cancel().get(STOP_LIMIT_SECONDS, TimeUnit.SECONDS);
      end.exceptionally(cancelled -> null).get(STOP_LIMIT_SECONDS, TimeUnit.SECONDS);
    }
  }
}
