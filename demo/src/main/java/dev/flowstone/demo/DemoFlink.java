// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.harness.ClusterSize;
import dev.flowstone.harness.LocalCluster;
import dev.flowstone.harness.LocalJob;
import dev.flowstone.jobs.platform.PlatformJob;
import dev.flowstone.jobs.platform.PlatformOptions;
import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.net.BindException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.WebOptions;
import org.apache.flink.runtime.client.JobExecutionException;

/**
 * Flink in this process, with its web UI on localhost, the job it runs, and room for queries of
 * SQL.
 */
final class DemoFlink implements AutoCloseable {
  private static final Duration CHECKPOINT_INTERVAL = Duration.ofSeconds(1);
  private static final Duration METRICS_AGE = Duration.ofSeconds(1);
  private static final Duration RESTART_DELAY = Duration.ofSeconds(1);
  private static final int MOST_RESTARTS = 5;
  static final String JOB_NAME = "Flowstone demo: packets to Kafka";

  /** For what somebody asks meanwhile. */
  private static final int SLOTS_FOR_QUERIES = 2;

  /** A query of a batch puts aside sixteen for each of its results. */
  private static final int NETWORK_MEBIBYTES = 96;

  /** Of all the job's slots. */
  private static final int MANAGED_MEBIBYTES = 64;

  private static final int MANAGED_MEBIBYTES_OF_QUERY = 32;

  /** Whatever its writers have begun, they would wait for the broker's consent to give it up. */
  private static final Duration CLOSE_LIMIT_WITHOUT_BROKER = Duration.ofSeconds(1);

  private final LocalCluster cluster;
  private final BooleanSupplier hasBroker;
  private LocalJob job;

  private DemoFlink(LocalCluster cluster, BooleanSupplier hasBroker) {
    this.cluster = cluster;
    this.hasBroker = hasBroker;
  }

  /**
   * Starts it and returns when it can take the job.
   *
   * @param slots of the job
   * @param hasBroker false: the broker is gone for good
   */
  static DemoFlink start(int webPort, int slots, Path folder, BooleanSupplier hasBroker)
      throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(RestOptions.BIND_PORT, Integer.toString(webPort));
    configuration.set(RestOptions.PORT, webPort);
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, CHECKPOINT_INTERVAL);
    configuration.set(CheckpointingOptions.CHECKPOINT_STORAGE, HeldCheckpoints.class.getName());
    // What fails for good is to be told, not tried for ever in silence.
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, MOST_RESTARTS);
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, RESTART_DELAY);
    // All that Flink puts aside lies where the demo cleans up.
    configuration.set(CoreOptions.TMP_DIRS, folder.resolve("flink").toString());
    configuration.set(WebOptions.TMP_DIR, folder.resolve("flink-web").toString());
    configuration.set(WebOptions.UPLOAD_DIR, folder.resolve("flink-upload").toString());
    // The page that anybody on this machine can open does nothing; the REST port still takes jobs.
    configuration.set(WebOptions.SUBMIT_ENABLE, false);
    configuration.set(WebOptions.CANCEL_ENABLE, false);
    // The page looks each second, and only while somebody looks at it.
    configuration.set(MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL, METRICS_AGE);
    configuration.set(PipelineOptions.NAME, JOB_NAME);
    // What a query brings along is here already, and must not be there twice.
    configuration.set(CoreOptions.CLASSLOADER_RESOLVE_ORDER, "parent-first");
    configuration.setString("metrics.reporters", "demo");
    configuration.setString(
        "metrics.reporter.demo.factory.class", FlinkCounters.Factory.class.getName());
    ClusterSize size = size(slots);
    try {
      return new DemoFlink(LocalCluster.start(size, configuration), hasBroker);
    } catch (Exception e) {
      if (causes(e).anyMatch(BindException.class::isInstance)) {
        throw new PortTakenException(webPort, DemoOptions.WEB_PORT, e);
      }
      throw new IOException("cannot start Flink: " + Reason.ofRoot(e), e);
    }
  }

  /** All slots have the same memory. */
  private static ClusterSize size(int slots) {
    int ofEach = Math.max(Math.ceilDiv(MANAGED_MEBIBYTES, slots), MANAGED_MEBIBYTES_OF_QUERY);
    int all = slots + SLOTS_FOR_QUERIES;
    return new ClusterSize(all, NETWORK_MEBIBYTES, all * ofEach);
  }

  private static Stream<Throwable> causes(Throwable failure) {
    return Stream.iterate(failure, Objects::nonNull, Throwable::getCause);
  }

  String webUrl() throws Exception {
    return cluster.webUrl();
  }

  /** Starts the job that carries the rings' packets to Kafka. */
  void submit(PlatformOptions options, int parallelism) throws Exception {
    job = cluster.submit(parallelism, environment -> PlatformJob.build(environment, options));
  }

  boolean isRunning() throws Exception {
    return job.isRunning();
  }

  /** Waits for the end of a job whose rings have ended; false: not yet. Throws its failure. */
  boolean awaitEnd(Duration limit) throws Exception {
    try {
      return job.awaitEnd(limit);
    } catch (JobExecutionException e) {
      throw new IOException("the Flink job failed: " + Reason.ofRoot(e), e);
    }
  }

  @Override
  public void close() {
    if (hasBroker.getAsBoolean()) {
      cluster.close();
    } else {
      cluster.close(CLOSE_LIMIT_WITHOUT_BROKER);
    }
  }
}
