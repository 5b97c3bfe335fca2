// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockTypeInformation;
import dev.flowstone.connector.fpga.FlowExchange;
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
import dev.flowstone.operators.histogram.HistogramRoom;
import dev.flowstone.operators.histogram.Histograms;
import dev.flowstone.operators.ruled.LiveRules;
import dev.flowstone.operators.ruled.RuledBlocks;
import dev.flowstone.operators.ruled.RulesText;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job with a record and a histogram of each of many flows goes from one subtask to two and back,
 * by savepoints, while their packets come. What it tells in the end is what a job tells that reads
 * the same rings at one go.
 */
class FlowRescaleITCase {
  private static final int KEY_GROUPS = 128;
  private static final int PHASES = 3;
  private static final int PACKETS_OF_A_FLOW = 6;
  private static final int BATCH = 256;
  private static final int STEP = 7_919;
  private static final long START_NS = 1_700_000_000_000_000_000L;
  private static final String RULES =
      "rules: []\n"
          + "default: {function: {histogram: {per: flow, of: [inter_arrival, packet_size],"
          + " interval: 1h}}}";
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final LongAdder SEEN = new LongAdder();
  private static final LongAdder RESULTS = new LongAdder();

  /** The same for the same results, whatever their order. */
  private static final LongAdder SUM = new LongAdder();

  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(2)
              .build());

  @TempDir private Path folder;
  private int packets;

  private record Digest(long results, long sum) {}

  private static final class Seen implements MapFunction<PacketBlock, PacketBlock> {
    private static final long serialVersionUID = 1L;

    @Override
    public PacketBlock map(PacketBlock block) {
      SEEN.add(block.count());
      return block;
    }
  }

  private static final class Summed<R> implements MapFunction<R, Long> {
    private static final long serialVersionUID = 1L;
    private static final long FACTOR = 0x9E3779B97F4A7C15L;

    @Override
    public Long map(R result) {
      String text = result.toString();
      long hash = 0;
      for (int i = 0; i < text.length(); i++) {
        hash = hash * FACTOR + text.charAt(i) + 1;
      }
      RESULTS.increment();
      SUM.add(hash);
      return hash;
    }
  }

  @BeforeEach
  void begin() {
    SEEN.reset();
    RESULTS.reset();
    SUM.reset();
  }

  @Test
  @Timeout(180)
  void shouldKeepTenThousandFlowsFromOneToTwoToOne() throws Exception {
    rescale(10_000);
  }

  @Test
  @Tag("slow")
  @Timeout(1200)
  void shouldKeepAMillionFlowsFromOneToTwoToOne() throws Exception {
    rescale(1_000_000);
  }

  private void rescale(int flows) throws Exception {
    Digest rescaled;
    Digest atOneGo;
    try (RingSetWriter rings = rings(flows)) {
      write(rings, flows);
      JobClient job = start("rescaled", flows, 1, null, false);
      String savepoint = stop(job, SavepointFormatType.NATIVE);
      write(rings, flows);
      job = start("rescaled", flows, 2, savepoint, false);
      savepoint = stop(job, SavepointFormatType.CANONICAL);
      assertThat(RESULTS.sum()).as("what was told before the end").isLessThan(flows / 1_000);
      write(rings, flows);
      rings.end();
      rescaled = finish(start("rescaled", flows, 1, savepoint, true));
      atOneGo = finish(start("at-one-go", flows, 1, null, true));
    }
    assertThat(rescaled).isEqualTo(atOneGo);
    assertThat(rescaled.results()).isBetween(3L * flows, 3L * flows + flows / 1_000);
  }

  private RingSetWriter rings(int flows) throws IOException {
    int slotsLog2 = Integer.SIZE - Integer.numberOfLeadingZeros(flows * PACKETS_OF_A_FLOW);
    return RingSetWriter.create(
        new RingDirectory(folder.resolve("rings")),
        new RingSpecification(
            2, slotsLog2, RingClock.SYNTHETIC, KEY_GROUPS, "test", Optional.empty()),
        WhenFull.DROP);
  }

  /** Each flow's packets of a phase. */
  private void write(RingSetWriter rings, int flows) {
    int end = packets + flows * PACKETS_OF_A_FLOW / PHASES;
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment raw = arena.allocate(BATCH * RawPacketLayout.SIZE_BYTES, 64);
      MemorySegment records = arena.allocate(BATCH * PacketRecordLayout.SIZE_BYTES, 64);
      while (packets < end) {
        int count = Math.min(BATCH, end - packets);
        for (int i = 0; i < count; i++) {
          describe(raw, records, i, flows);
        }
        rings.write(raw, records, count);
      }
    }
  }

  private void describe(MemorySegment raw, MemorySegment records, int index, int flows) {
    int round = packets / flows;
    int flow = (int) (((long) packets * STEP + (long) round * flows / 3) % flows);
    int frameLength = 64 + (flow + round) % 1_400;
    long timeNs = START_NS + packets * 1_000L;
    FlowTuple tuple = FlowTuple.ipv4(0x0a00_0000 | flow, 0x0b00_0001, 1024, 443, 6);
    new SentPacket(tuple, timeNs, frameLength, 0)
        .write(records, index * PacketRecordLayout.SIZE_BYTES);
    long at = index * RawPacketLayout.SIZE_BYTES;
    raw.set(LONG, at + RawPacketLayout.TIME_NS_OFFSET, timeNs);
    raw.set(INT, at + RawPacketLayout.WIRE_BYTES_OFFSET, frameLength);
    packets++;
  }

  private String stop(JobClient job, SavepointFormatType format) throws Exception {
    while (SEEN.sum() < packets) {
      if (job.getJobStatus().get().isTerminalState()) {
        job.getJobExecutionResult().get();
      }
      Thread.sleep(20);
    }
    return job.stopWithSavepoint(false, folder.resolve("savepoints").toUri().toString(), format)
        .get(120, TimeUnit.SECONDS);
  }

  private static Digest finish(JobClient job) throws Exception {
    job.getJobExecutionResult().get(300, TimeUnit.SECONDS);
    return new Digest(RESULTS.sumThenReset(), SUM.sumThenReset());
  }

  private JobClient start(
      String name, int flows, int parallelism, String savepoint, boolean bounded) throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(PipelineOptions.MAX_PARALLELISM, KEY_GROUPS);
    configuration.set(PipelineOptions.OBJECT_REUSE, true);
    configuration.set(StateBackendOptions.STATE_BACKEND, "rocksdb");
    configuration.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        folder.resolve("checkpoints").toUri().toString());
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofSeconds(1));
    if (savepoint != null) {
      configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint);
    }
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    environment.setParallelism(parallelism);
    FpgaSourceBuilder source =
        FpgaSource.builder()
            .ringDirectory(folder.resolve("rings"))
            .readerName(name)
            .discoveryInterval(Duration.ofMillis(50));
    DataStream<PacketBlock> blocks =
        FlowExchange.NEVER
            .read(environment, bounded ? source.bounded() : source, "rings")
            .packets()
            .map(new Seen())
            .returns(PacketBlockTypeInformation.INSTANCE)
            .uid("seen");
    end(
        KeyedBlocks.of(blocks)
            .room(FlowRoom.inMemoryAlone(flows))
            .process("flow records", new FlowRecords(Duration.ofDays(365), Duration.ofDays(365)))
            .uid("flow-records"),
        "records");
    RulesText rules = new RulesText(1, "test", RULES);
    RuledBlocks ruled =
        RuledBlocks.of(new RingBlocks(blocks, true), LiveRules.fixed(rules, _ -> {}), "rules")
            .uid("rules");
    end(
        Histograms.of(ruled, HistogramRoom.of(rules.read().rules()), FlowRoom.inMemoryAlone(flows))
            .together(),
        "histograms");
    return environment.executeAsync(name);
  }

  private static <R> void end(DataStream<R> results, String name) {
    results
        .map(new Summed<>())
        .uid("summed-" + name)
        .sinkTo(new DiscardingSink<>())
        .uid("nowhere-" + name);
  }
}
