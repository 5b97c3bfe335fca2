// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockTypeInformation;
import dev.flowstone.harness.failure.FailureInjection;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExternalizedCheckpointRetention;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.testutils.CommonTestUtils;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/**
 * A job that keeps a {@link StreamLedger} of what a source gives; it may go away and come back.
 * Whoever made it closes it. One thread.
 */
final class LedgerJob {
  static final int PARALLELISM = 2;
  private static final long PATIENCE_SECONDS = 20;
  private static final int TOLERABLE_CHECKPOINT_FAILURES = 10;

  private final String name;
  private final MiniCluster cluster;
  private final Configuration configuration = new Configuration();
  private StreamLedger.Book book;
  private JobClient job;

  LedgerJob(String name, Path scratch, MiniCluster cluster) {
    this.name = name;
    this.cluster = cluster;
    configuration.set(PipelineOptions.MAX_PARALLELISM, TestTap.KEY_GROUPS);
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(50));
    configuration.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY, scratch.resolve(name).toUri().toString());
    configuration.set(
        CheckpointingOptions.EXTERNALIZED_CHECKPOINT_RETENTION,
        ExternalizedCheckpointRetention.RETAIN_ON_CANCELLATION);
    // Flink on a busy machine at times fails to make the folder of a checkpoint.
    configuration.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, TOLERABLE_CHECKPOINT_FAILURES);
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
  }

  /** Restarts from the latest checkpoint after a failure. The default is to end. */
  void restartOnFailure() {
    FailureInjection.allowRestarts(configuration, Duration.ofMillis(20));
  }

  /** Goes on from where {@link #cancel} left it, if it did. */
  void start(Source<PacketBlock, ?, ?> source) throws Exception {
    book = StreamLedger.begin(name);
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    environment.setParallelism(PARALLELISM);
    environment
        .fromSource(
            source, WatermarkStrategy.noWatermarks(), "rings", PacketBlockTypeInformation.INSTANCE)
        .uid("rings")
        .keyBy(PacketBlock::stream)
        .process(new StreamLedger(name))
        .returns(Types.VOID)
        .uid("ledger")
        .sinkTo(new DiscardingSink<>())
        .uid("sink");
    job = environment.executeAsync(name);
  }

  /** Ends the job as if for good: what came after its latest checkpoint it forgets. */
  void cancel() throws Exception {
    waitUntil("a checkpoint is complete", () -> latestCheckpoint() != null);
    job.cancel().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    waitUntil("job gone", this::isOver);
    configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, latestCheckpoint());
  }

  private String latestCheckpoint() {
    try {
      return CommonTestUtils.getLatestCompletedCheckpointPath(job.getJobID(), cluster).orElse(null);
    } catch (Exception e) {
      throw new IllegalStateException(name + ": cannot ask for its latest checkpoint", e);
    }
  }

  boolean isOver() {
    return job.getJobStatus().join().isGloballyTerminalState();
  }

  /** Waits until a bounded job has come to its end. */
  void finish() throws Exception {
    job.getJobExecutionResult().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  StreamLedger.Book book() {
    return book;
  }

  void waitUntilRead(long packets) throws InterruptedException {
    waitUntil(name + " has read " + packets + " packets", () -> book.packets() == packets);
  }

  static void waitUntil(String what, BooleanSupplier condition) throws InterruptedException {
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waiting until: " + what).isLessThan(deadlineNs);
      Thread.sleep(5);
    }
  }

  /** Nothing twice, and of each ring all packets, read or told as lost. */
  void requireAccountsOf(TestTap tap) {
    assertThat(book.repeated).hasValue(0);
    for (int ring = 0; ring < tap.writer().ringCount(); ring++) {
      long offered = tap.writer().ringFile(ring).counters().offeredPackets();
      StreamLedger.Account account = book.streams.get(tap.stream(ring));
      assertThat(account).as(name + ": ring " + ring).isNotNull();
      assertThat(account.accounted())
          .as(name + ": ring " + ring + ": " + account)
          .isEqualTo(offered)
          .isPositive();
    }
  }

  /** The same, and nothing lost. */
  void requireEveryPacketOf(TestTap... taps) {
    long offered = 0;
    for (TestTap tap : taps) {
      requireAccountsOf(tap);
      offered += tap.offered();
    }
    assertThat(book.lost()).isZero();
    assertThat(book.packets()).isEqualTo(offered);
  }

  /** Ends the job, if it has not ended. */
  void close() throws Exception {
    if (job != null && !isOver()) {
      job.cancel().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      waitUntil("job gone", this::isOver);
    }
  }
}
