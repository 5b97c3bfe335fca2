// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.packets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockTypeInformation;
import dev.flowstone.blocks.WeightedBlock;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import dev.flowstone.connector.fpga.RingBlocks;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RawPacketLayout;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import dev.flowstone.operators.SentPacket;
import dev.flowstone.operators.ruled.LiveRules;
import dev.flowstone.operators.ruled.RuledBlocks;
import dev.flowstone.operators.ruled.RulesText;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Real rings are read by 1, 2 and again 1 subtasks: of each, every seventh packet goes on. */
@Timeout(120)
class RescaleITCase {
  private static final int ONE_IN = 7;
  private static final int RINGS = 2;
  private static final int KEY_GROUPS = 128;
  private static final int BATCH = 250;
  private static final int ROUND = 20_000;
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** Positions by stream, of one task at a time. */
  private static final Map<Long, List<Long>> SEEN = new ConcurrentHashMap<>();

  private static final Map<Long, List<Long>> CHOSEN = new ConcurrentHashMap<>();

  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(RINGS)
              .build());

  @TempDir private Path folder;
  private long packets;

  private static void note(Map<Long, List<Long>> positions, PacketBlock block) {
    positions.compute(
        block.stream(),
        (_, known) -> {
          List<Long> list = known == null ? new ArrayList<>() : known;
          IntStream.range(0, block.count()).mapToObj(block::positionOf).forEach(list::add);
          return list;
        });
  }

  private static final class Seen implements MapFunction<PacketBlock, PacketBlock> {
    private static final long serialVersionUID = 1L;

    @Override
    public PacketBlock map(PacketBlock block) {
      note(SEEN, block);
      return block;
    }
  }

  private static final class Chosen implements MapFunction<WeightedBlock, Integer> {
    private static final long serialVersionUID = 1L;

    @Override
    public Integer map(WeightedBlock block) {
      note(CHOSEN, block.packets());
      return block.weight();
    }
  }

  @Test
  void shouldGoOnCountingWhereverARingIsRead() throws Exception {
    try (RingSetWriter writer =
        RingSetWriter.create(
            new RingDirectory(folder.resolve("rings")),
            new RingSpecification(
                RINGS, 17, RingClock.SYNTHETIC, KEY_GROUPS, "test", Optional.empty()),
            WhenFull.DROP)) {
      String savepoint = null;
      for (int parallelism : new int[] {1, 2, 1}) {
        write(writer);
        savepoint = runUntilStopped(parallelism, savepoint);
      }
      write(writer);
      writer.end();
      start(2, savepoint, true).getJobExecutionResult().get(60, TimeUnit.SECONDS);
    }
    assertThat(SEEN).hasSize(RINGS);
    assertThat(seen()).isEqualTo(packets);
    SEEN.forEach(
        (stream, all) ->
            assertThat(CHOSEN.get(stream))
                .isEqualTo(
                    IntStream.range(0, all.size())
                        .filter(i -> i % ONE_IN == 0)
                        .mapToObj(all::get)
                        .toList()));
  }

  private static long seen() {
    return SEEN.keySet().stream().mapToLong(RescaleITCase::seenOf).sum();
  }

  private static long seenOf(long stream) {
    long[] size = new long[1];
    SEEN.computeIfPresent(
        stream,
        (_, list) -> {
          size[0] = list.size();
          return list;
        });
    return size[0];
  }

  private String runUntilStopped(int parallelism, String savepoint) throws Exception {
    JobClient job = start(parallelism, savepoint, false);
    while (seen() < packets) {
      assertThat(job.getJobStatus().get().isTerminalState()).isFalse();
      Thread.sleep(20);
    }
    return job.stopWithSavepoint(
            false, folder.resolve("savepoints").toUri().toString(), SavepointFormatType.CANONICAL)
        .get(60, TimeUnit.SECONDS);
  }

  private JobClient start(int parallelism, String savepoint, boolean bounded) throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(PipelineOptions.MAX_PARALLELISM, KEY_GROUPS);
    configuration.set(PipelineOptions.OBJECT_REUSE, true);
    configuration.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(100));
    configuration.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        folder.resolve("checkpoints").toUri().toString());
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
    RuledBlocks ruled =
        RuledBlocks.of(
                new RingBlocks(
                    environment
                        .fromSource(
                            (bounded ? source.bounded() : source).build(),
                            WatermarkStrategy.noWatermarks(),
                            "rings")
                        .uid("rings")
                        .map(new Seen())
                        .returns(PacketBlockTypeInformation.INSTANCE)
                        .uid("seen"),
                    false),
                LiveRules.fixed(
                    new RulesText(
                        0, "test", "rules: []\ndefault: {function: {sample: {one_in: 7}}}"),
                    _ -> {}),
                "rules")
            .uid("rules");
    ChosenPackets.of(ruled, AnonymisationKeys.NONE, "sample")
        .uid("sample")
        .map(new Chosen())
        .sinkTo(new DiscardingSink<>())
        .uid("nowhere");
    return environment.executeAsync("sample");
  }

  private void write(RingSetWriter writer) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment raw = arena.allocate(BATCH * RawPacketLayout.SIZE_BYTES, 64);
      MemorySegment records = arena.allocate(BATCH * PacketRecordLayout.SIZE_BYTES, 64);
      for (int written = 0; written < ROUND; written += BATCH) {
        for (int i = 0; i < BATCH; i++) {
          describe(raw, records, i);
        }
        writer.write(raw, records, BATCH);
      }
    }
  }

  private void describe(MemorySegment raw, MemorySegment records, int index) {
    long number = packets++;
    FlowTuple flow = SentPacket.flow((int) (number * 7 % 1000));
    long timeNs = 1_700_000_000_000_000_000L + number * 1_000;
    MemorySegment record = SentPacket.block(List.of(new SentPacket(flow, timeNs, 64, 0))).segment();
    records
        .asSlice(index * PacketRecordLayout.SIZE_BYTES, PacketRecordLayout.SIZE_BYTES)
        .copyFrom(record);
    long at = index * RawPacketLayout.SIZE_BYTES;
    raw.set(LONG, at + RawPacketLayout.TIME_NS_OFFSET, timeNs);
    raw.set(INT, at + RawPacketLayout.WIRE_BYTES_OFFSET, 64);
  }
}
