// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockTypeInformation;
import dev.flowstone.connector.fpga.FlowExchange;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import dev.flowstone.model.FlowTuple;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A job on real rings is rescaled from 1 to 2 to 1 subtasks with savepoints, after incremental
 * checkpoints. At the end of the rings the record of each flow is complete.
 */
@Timeout(120)
class SavepointITCase {
  private static final Map<FlowTuple, Long> COUNTED = new ConcurrentHashMap<>();

  private static final LongAdder SEEN = new LongAdder();
  private static final LongAdder CHECKPOINTS = new LongAdder();

  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(2)
              .build());

  @TempDir private Path folder;

  @BeforeEach
  void begin() {
    COUNTED.clear();
    SEEN.reset();
    CHECKPOINTS.reset();
  }

  private static final class Seen
      implements MapFunction<PacketBlock, PacketBlock>, CheckpointListener {
    private static final long serialVersionUID = 1L;

    @Override
    public PacketBlock map(PacketBlock block) {
      SEEN.add(block.count());
      return block;
    }

    @Override
    public void notifyCheckpointComplete(long checkpointId) {
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

  @ParameterizedTest
  @CsvSource({"rocksdb, NATIVE", "hashmap, CANONICAL"})
  void shouldKeepEachFlowOverSavepoints(String backend, SavepointFormatType format)
      throws Exception {
    rescale(backend, format);
  }

  @ParameterizedTest
  @CsvSource({"rocksdb, CANONICAL", "hashmap, NATIVE"})
  @Tag("slow")
  void shouldKeepEachFlowOverSavepointsOfOtherFormats(String backend, SavepointFormatType format)
      throws Exception {
    rescale(backend, format);
  }

  private void rescale(String backend, SavepointFormatType format) throws Exception {
    try (SentRings rings = new SentRings(folder.resolve("rings"))) {
      rings.write();
      String savepoint = runUntilStopped(rings.packets(), backend, format, 1, null);
      rings.write();
      savepoint = runUntilStopped(rings.packets(), backend, format, 2, savepoint);
      assertThat(COUNTED).isEmpty();
      rings.write();
      rings.end();
      start(backend, 1, savepoint, true).getJobExecutionResult().get(60, TimeUnit.SECONDS);
      assertThat(COUNTED).isEqualTo(rings.sent());
    }
  }

  private String runUntilStopped(
      long packets, String backend, SavepointFormatType format, int parallelism, String savepoint)
      throws Exception {
    JobClient job = start(backend, parallelism, savepoint, false);
    await(job, () -> SEEN.sum() >= packets);
    long checkpoints = CHECKPOINTS.sum();
    await(job, () -> CHECKPOINTS.sum() > checkpoints + parallelism);
    return job.stopWithSavepoint(false, folder.resolve("savepoints").toUri().toString(), format)
        .get(60, TimeUnit.SECONDS);
  }

  private static void await(JobClient job, BooleanSupplier condition) throws Exception {
    while (!condition.getAsBoolean()) {
      assertThat(job.getJobStatus().get().isTerminalState()).isFalse();
      Thread.sleep(20);
    }
  }

  private JobClient start(String backend, int parallelism, String savepoint, boolean bounded)
      throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(PipelineOptions.MAX_PARALLELISM, SentRings.KEY_GROUPS);
    configuration.set(PipelineOptions.OBJECT_REUSE, true);
    configuration.set(StateBackendOptions.STATE_BACKEND, backend);
    configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
    configuration.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        folder.resolve("checkpoints").toUri().toString());
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(200));
    if (savepoint != null) {
      configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint);
    }
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    environment.setParallelism(parallelism);
    FpgaSourceBuilder source =
        FpgaSource.builder()
            .ringDirectory(folder.resolve("rings"))
            .discoveryInterval(Duration.ofMillis(50));
    KeyedBlocks.of(
            FlowExchange.NEVER
                .blocksByFlow(environment, bounded ? source.bounded() : source, "rings")
                .map(new Seen())
                .returns(PacketBlockTypeInformation.INSTANCE)
                .uid("seen"))
        .room(FlowRoom.inMemoryAlone(SentRings.FLOWS))
        .process("flow records", new FlowRecords(Duration.ofDays(365), Duration.ofDays(365)))
        .uid("flow-records")
        .map(new Counted())
        .sinkTo(new DiscardingSink<>())
        .uid("nowhere");
    return environment.executeAsync("flow records");
  }
}
