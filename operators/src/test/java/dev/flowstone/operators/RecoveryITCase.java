// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockTypeInformation;
import dev.flowstone.connector.fpga.FlowExchange;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.model.FlowHash;
import dev.flowstone.model.FlowTuple;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job that fails in the middle of its packets goes on from incremental checkpoints in RocksDB:
 * each flow's record is whole, and so are sums that a function kept outside of the table.
 */
@Timeout(120)
class RecoveryITCase {
  private static final int FAILURES = 3;
  private static final int PARALLELISM = 2;

  private static final Map<FlowTuple, Long> COUNTED = new ConcurrentHashMap<>();
  private static final Map<Integer, Long> TOTALS = new ConcurrentHashMap<>();
  private static final LongAdder SEEN = new LongAdder();
  private static final LongAdder CHECKPOINTS = new LongAdder();
  private static final LongAdder RESTORES = new LongAdder();

  /** The block at which a subtask fails, counted down; none when it is less than zero. */
  private static final AtomicInteger BLOCKS_TO_FAILURE = new AtomicInteger();

  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(PARALLELISM)
              .build());

  @TempDir private Path folder;

  @BeforeEach
  void begin() {
    COUNTED.clear();
    TOTALS.clear();
    SEEN.reset();
    CHECKPOINTS.reset();
    RESTORES.reset();
    BLOCKS_TO_FAILURE.set(-1);
  }

  /** Behind it are the functions, in the same task. */
  private static final class Failing
      implements MapFunction<PacketBlock, PacketBlock>, CheckpointedFunction, CheckpointListener {
    private static final long serialVersionUID = 1L;

    @Override
    public PacketBlock map(PacketBlock block) {
      if (BLOCKS_TO_FAILURE.decrementAndGet() == 0) {
        throw new IllegalStateException("a failure that the test wants");
      }
      SEEN.add(block.count());
      return block;
    }

    @Override
    public void initializeState(FunctionInitializationContext context) {
      RESTORES.add(context.isRestored() ? 1 : 0);
    }

    @Override
    public void snapshotState(FunctionSnapshotContext context) {}

    @Override
    public void notifyCheckpointComplete(long checkpoint) {
      CHECKPOINTS.increment();
    }
  }

  private static final class Counted implements MapFunction<FlowRecord, Long> {
    private static final long serialVersionUID = 1L;

    @Override
    public Long map(FlowRecord record) {
      COUNTED.merge(record.flow(), record.packets(), Long::sum);
      return record.packets();
    }
  }

  /** The last of a key is what Flink's own state made of all parts. */
  private static final class Totals
      implements MapFunction<Tuple2<Integer, Long>, Tuple2<Integer, Long>> {
    private static final long serialVersionUID = 1L;

    @Override
    public Tuple2<Integer, Long> map(Tuple2<Integer, Long> total) {
      TOTALS.put(total.f0, total.f1);
      return total;
    }
  }

  @Test
  void shouldKeepEachFlowAndEachSumOverFailures() throws Exception {
    try (SentRings rings = new SentRings(folder.resolve("rings"))) {
      JobClient job = start();
      for (int failure = 1; failure <= FAILURES; failure++) {
        rings.write();
        writeUntil(CHECKPOINTS, CHECKPOINTS.sum() + 4 * PARALLELISM, rings, job);
        BLOCKS_TO_FAILURE.set(5);
        writeUntil(RESTORES, (long) failure * PARALLELISM, rings, job);
      }
      rings.end();
      job.getJobExecutionResult().get(60, TimeUnit.SECONDS);
      assertThat(COUNTED).isEqualTo(rings.sent());
      assertThat(TOTALS).isEqualTo(sums(rings.sent()));
      // What came after the last checkpoint came twice.
      assertThat(SEEN.sum()).isGreaterThan(rings.packets());
    }
  }

  private static Map<Integer, Long> sums(Map<FlowTuple, Long> sent) {
    Map<Integer, Long> sums = new HashMap<>();
    sent.forEach(
        (flow, count) -> sums.merge(FlowHash.of(flow) & PartialSums.KEYS - 1, count, Long::sum));
    return sums;
  }

  /** Packets come all the time: each checkpoint has sums that are not finished. */
  private static void writeUntil(LongAdder counter, long enough, SentRings rings, JobClient job)
      throws Exception {
    while (counter.sum() < enough) {
      assertThat(job.getJobStatus().get().isTerminalState()).isFalse();
      rings.write(512);
      Thread.sleep(10);
    }
  }

  private JobClient start() throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(PipelineOptions.MAX_PARALLELISM, SentRings.KEY_GROUPS);
    configuration.set(PipelineOptions.OBJECT_REUSE, true);
    configuration.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
    configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
    configuration.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        folder.resolve("checkpoints").toUri().toString());
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(150));
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
    configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 3 * FAILURES);
    configuration.set(
        RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(50));
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    environment.setParallelism(PARALLELISM);
    DataStream<PacketBlock> blocks =
        FlowExchange.NEVER
            .blocksByFlow(
                environment,
                FpgaSource.builder()
                    .ringDirectory(folder.resolve("rings"))
                    .discoveryInterval(Duration.ofMillis(50))
                    .bounded(),
                "rings")
            .map(new Failing())
            .returns(PacketBlockTypeInformation.INSTANCE)
            .uid("failing");
    KeyedBlocks<PacketBlock> flows =
        KeyedBlocks.of(blocks).room(FlowRoom.inMemoryAlone(SentRings.FLOWS));
    flows
        .process("flow records", new FlowRecords(Duration.ofDays(365), Duration.ofDays(365)))
        .uid("flow-records")
        .map(new Counted())
        .sinkTo(new DiscardingSink<>());
    flows
        .process("partial sums", new PartialSums())
        .uid("partial-sums")
        .keyBy(part -> part.f0)
        .sum(1)
        .map(new Totals())
        .sinkTo(new DiscardingSink<>());
    return environment.executeAsync("recovery");
  }
}
