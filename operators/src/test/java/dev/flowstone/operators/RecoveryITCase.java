// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockTypeInformation;
import dev.flowstone.connector.fpga.FlowExchange;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.harness.failure.FailureInjection;
import dev.flowstone.harness.failure.FailureInjection.Place;
import dev.flowstone.model.FlowHash;
import dev.flowstone.model.FlowTuple;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
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
 * A job that fails while it processes packets recovers from incremental checkpoints in RocksDB. The
 * record of each flow is complete, and so are the sums that a function keeps outside of the table.
 */
@Timeout(120)
class RecoveryITCase {
  private static final int FAILURES = 2;
  private static final int PARALLELISM = 2;

  private static final Map<FlowTuple, Long> COUNTED = new ConcurrentHashMap<>();
  private static final Map<Integer, Long> TOTALS = new ConcurrentHashMap<>();
  private static final LongAdder SEEN = new LongAdder();

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
  }

  /** Counts the packets that the functions downstream receive in the same task. */
  private static final class Seen implements MapFunction<PacketBlock, PacketBlock> {
    private static final long serialVersionUID = 1L;

    @Override
    public PacketBlock map(PacketBlock block) {
      SEEN.add(block.count());
      return block;
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
    try (SentRings rings = new SentRings(folder.resolve("rings"));
        FailureInjection failures = new FailureInjection()) {
      JobClient job = start(failures);
      for (int failure = 1; failure <= FAILURES; failure++) {
        rings.write();
        // Packets arrive all the time: each checkpoint contains unfinished sums.
        failures.failOnce(Place.PROCESSING, () -> rings.write(512));
      }
      rings.end();
      job.getJobExecutionResult().get(60, TimeUnit.SECONDS);
      assertThat(COUNTED).isEqualTo(rings.sent());
      assertThat(TOTALS).isEqualTo(sums(rings.sent()));
      // Packets after the last checkpoint were processed twice.
      assertThat(SEEN.sum()).isGreaterThan(rings.packets());
    }
  }

  private static Map<Integer, Long> sums(Map<FlowTuple, Long> sent) {
    Map<Integer, Long> sums = new HashMap<>();
    sent.forEach(
        (flow, count) -> sums.merge(FlowHash.of(flow) & PartialSums.KEYS - 1, count, Long::sum));
    return sums;
  }

  private JobClient start(FailureInjection failures) throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(PipelineOptions.MAX_PARALLELISM, SentRings.KEY_GROUPS);
    configuration.set(PipelineOptions.OBJECT_REUSE, true);
    configuration.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
    configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
    configuration.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        folder.resolve("checkpoints").toUri().toString());
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(150));
    FailureInjection.allowRestarts(configuration, Duration.ofMillis(50));
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    environment.setParallelism(PARALLELISM);
    DataStream<PacketBlock> blocks =
        failures.in(
            FlowExchange.NEVER
                .blocksByFlow(
                    environment,
                    FpgaSource.builder()
                        .ringDirectory(folder.resolve("rings"))
                        .discoveryInterval(Duration.ofMillis(50))
                        .bounded(),
                    "rings")
                .map(new Seen())
                .returns(PacketBlockTypeInformation.INSTANCE)
                .uid("seen"));
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
