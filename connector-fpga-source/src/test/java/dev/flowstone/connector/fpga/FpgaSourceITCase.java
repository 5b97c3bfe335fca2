// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.harness.failure.FailureInjection;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.WhenFull;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.testutils.CommonTestUtils;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.functions.windowing.ProcessAllWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whole jobs on real ring files. */
class FpgaSourceITCase {
  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  private static final int ROOMY_SLOTS_LOG2 = 17;
  private static final int SMALL_SLOTS_LOG2 = 10;
  private static final int PART_OF_RING = 300;
  private static final int BLOCKS_IN_FLIGHT_RECORDS = 32;
  private static final long PATIENCE_SECONDS = 20;

  private static final InMemoryReporter METRICS = InMemoryReporter.createWithRetainedMetrics();

  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setConfiguration(METRICS.addToConfiguration(new Configuration()))
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(4)
              .build());

  private static final List<Long> WINDOW_COUNTS = new CopyOnWriteArrayList<>();

  @TempDir private Path scratch;
  private Path rings;
  private TestTap tap;
  private JobClient job;
  private FailureInjection failures;

  @BeforeEach
  void begin() throws IOException {
    rings =
        Files.isWritable(SHARED_MEMORY)
            ? Files.createTempDirectory(SHARED_MEMORY, "flowstone-test-")
            : scratch.resolve("rings");
    FlowLedger.reset();
    BlockTotals.LATEST.clear();
    WINDOW_COUNTS.clear();
    failures = new FailureInjection();
  }

  @AfterEach
  void stop() throws Exception {
    if (job != null && !job.getJobStatus().get().isGloballyTerminalState()) {
      job.cancel().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
      waitUntil("job gone", () -> isTerminal(job));
    }
    if (tap != null) {
      tap.close();
    }
    failures.close();
    new RingDirectory(rings).delete();
  }

  private static boolean isTerminal(JobClient job) {
    return job.getJobStatus().join().isGloballyTerminalState();
  }

  private FpgaSourceBuilder source() {
    return FpgaSource.builder().ringDirectory(rings).discoveryInterval(Duration.ofMillis(100));
  }

  private Configuration configuration(int parallelism) {
    Configuration configuration = new Configuration();
    configuration.set(PipelineOptions.MAX_PARALLELISM, TestTap.KEY_GROUPS);
    configuration.set(PipelineOptions.OBJECT_REUSE, true);
    configuration.set(PipelineOptions.AUTO_WATERMARK_INTERVAL, Duration.ofMillis(20));
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(50));
    configuration.set(
        CheckpointingOptions.CHECKPOINTS_DIRECTORY,
        scratch.resolve("checkpoints").toUri().toString());
    FailureInjection.allowRestarts(configuration, Duration.ofMillis(20));
    configuration.setString("parallelism.default", String.valueOf(parallelism));
    return configuration;
  }

  /** Counts blocks in the chain of the source, and checks each flow behind a keyBy. */
  private void startLedger(Source<PacketBlock, ?, ?> source, Configuration configuration)
      throws Exception {
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    failures
        .in(
            blocks(environment, source)
                .map(new BlockTotals())
                .returns(PacketBlock.class)
                .uid("totals")
                .map(new UnionState())
                .returns(PacketBlock.class)
                .uid("union"))
        .flatMap(new Packets())
        .returns(Types.TUPLE(Types.INT, Types.INT))
        .uid("packets")
        .keyBy(packet -> packet.f0)
        .process(new FlowLedger())
        .uid("ledger")
        .sinkTo(new DiscardingSink<>())
        .uid("sink");
    job = environment.executeAsync("ledger");
  }

  private static DataStream<PacketBlock> blocks(
      StreamExecutionEnvironment environment, Source<PacketBlock, ?, ?> source) {
    return environment.fromSource(source, WatermarkStrategy.noWatermarks(), "rings").uid("rings");
  }

  private static final class Packets
      implements FlatMapFunction<PacketBlock, Tuple2<Integer, Integer>> {
    private static final long serialVersionUID = 1L;

    @Override
    public void flatMap(PacketBlock block, Collector<Tuple2<Integer, Integer>> out) {
      for (int i = 0; i < block.count(); i++) {
        long offset = block.offsetOf(i);
        out.collect(
            Tuple2.of(
                TestTap.flow(block.segment(), offset), TestTap.number(block.segment(), offset)));
      }
    }
  }

  private void finish() throws Exception {
    job.getJobExecutionResult().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
  }

  private static void waitUntil(String what, BooleanSupplier condition)
      throws InterruptedException {
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waiting until: " + what).isLessThan(deadlineNs);
      Thread.sleep(5);
    }
  }

  private long counted(String metric) {
    return METRICS
        .findMetrics(job.getJobID(), "taprings\\..*\\.ring\\.[0-9]+\\." + metric + "$")
        .values()
        .stream()
        .mapToLong(counter -> ((Counter) counter).getCount())
        .sum();
  }

  private void assertEveryPacketOnce() {
    assertThat(FlowLedger.ERRORS).hasValue(0);
    assertThat(FlowLedger.NEXT).isEqualTo(tap.perFlow());
    assertThat(BlockTotals.lostInAll()).isZero();
    assertThat(BlockTotals.packetsInAll()).isEqualTo(tap.offered());
  }

  @Test
  void shouldReadEveryPacketOnceAndEndWithTheRings() throws Exception {
    tap = new TestTap(rings, 4, ROOMY_SLOTS_LOG2);
    startLedger(source().bounded().build(), configuration(2));
    for (int i = 0; i < 20; i++) {
      tap.write(5_000);
      Thread.sleep(2);
    }
    tap.end();
    finish();
    assertEveryPacketOnce();
    assertThat(counted("packetsConsumed")).isEqualTo(tap.offered());
    assertThat(counted("keyGroupMismatches")).isZero();
    assertThat(BlockTotals.LATEST)
        .hasSize(2)
        .allSatisfy((subtask, totals) -> assertThat(totals.packets()).isPositive());
  }

  /** One subtask has nothing to read; the other's ring holds a small part of what comes. */
  @Test
  void shouldGiveSpaceBackToTheEndWhenSomeSubtasksHaveNoRing(@InjectMiniCluster MiniCluster cluster)
      throws Exception {
    tap = new TestTap(rings, 1, SMALL_SLOTS_LOG2);
    startLedger(source().bounded().build(), configuration(2));
    waitUntil("reader there", () -> tap.writer().allHaveGatingReader());
    for (int part = 0; part < 8; part++) {
      tap.write(PART_OF_RING);
      waitUntil("read", () -> BlockTotals.packetsInAll() == tap.offered());
      String before = latestCheckpoint(cluster);
      waitUntil("a checkpoint", () -> !latestCheckpoint(cluster).equals(before));
    }
    tap.end();
    finish();
    assertThat(tap.dropped()).isZero();
    assertEveryPacketOnce();
  }

  private String latestCheckpoint(MiniCluster cluster) {
    try {
      return CommonTestUtils.getLatestCompletedCheckpointPath(job.getJobID(), cluster).orElse("");
    } catch (Exception e) {
      throw new IllegalStateException("cannot ask for the latest checkpoint", e);
    }
  }

  @ParameterizedTest
  @EnumSource(FailureInjection.Place.class)
  void shouldLoseAndRepeatNothingOverFailures(FailureInjection.Place place) throws Exception {
    tap = new TestTap(rings, 2, SMALL_SLOTS_LOG2, WhenFull.WAIT);
    startLedger(source().bounded().build(), configuration(2));
    waitUntil("readers there", () -> tap.writer().allHaveGatingReader());
    for (int failure = 0; failure < 3; failure++) {
      long consumed = BlockTotals.packetsInAll();
      tap.write(10_000);
      waitUntil("packets flow", () -> BlockTotals.packetsInAll() > consumed);
      failures.failOnce(place, () -> tap.write(100));
    }
    tap.write(10_000);
    tap.end();
    finish();
    assertThat(tap.dropped()).isZero();
    assertEveryPacketOnce();
  }

  @Test
  void shouldKeepEveryFlowExactWhenRescaled() throws Exception {
    tap = new TestTap(rings, 4, ROOMY_SLOTS_LOG2);
    FpgaSource source = source().bounded().build();
    Configuration configuration = configuration(2);
    for (int parallelism : List.of(1, 4)) {
      startLedger(source, configuration);
      tap.write(20_000);
      waitUntil("all read", () -> FlowLedger.packets() == tap.offered());
      tap.write(5_000);
      configuration = configuration(parallelism);
      configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, stopWithSavepoint());
      BlockTotals.LATEST.clear();
    }
    startLedger(source, configuration);
    tap.write(20_000);
    tap.end();
    finish();
    assertEveryPacketOnce();
  }

  /** Not before a checkpoint is complete: until then some task may not run yet. */
  private String stopWithSavepoint() throws Exception {
    waitUntil("checkpoint complete", () -> gauge("numberOfCompletedCheckpoints") > 0);
    String savepoint =
        job.stopWithSavepoint(
                false,
                scratch.resolve("savepoints").toUri().toString(),
                SavepointFormatType.CANONICAL)
            .get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    waitUntil("job gone", () -> isTerminal(job));
    return savepoint;
  }

  @Test
  void shouldCarryBlocksOverTheNetwork() throws Exception {
    tap = new TestTap(rings, 2, ROOMY_SLOTS_LOG2);
    tap.write(20_000);
    tap.end();
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration(2));
    blocks(environment, source().bounded().build())
        .rebalance()
        .map(new BlockTotals())
        .returns(PacketBlock.class)
        .flatMap(new Packets())
        .returns(Types.TUPLE(Types.INT, Types.INT))
        .map(packet -> packet.f1)
        .returns(Types.INT)
        .sinkTo(new DiscardingSink<>());
    job = environment.executeAsync("network");
    finish();
    assertThat(BlockTotals.packetsInAll()).isEqualTo(tap.offered());
    assertThat(BlockTotals.LATEST).hasSize(2);
  }

  /** Blocks on their way lie in the checkpoint, while the ring's space is given back. */
  @Test
  void shouldLoseAndRepeatNothingOverUnalignedCheckpoints() throws Exception {
    tap = new TestTap(rings, 2, SMALL_SLOTS_LOG2, WhenFull.WAIT);
    Configuration configuration = configuration(2);
    configuration.set(CheckpointingOptions.ENABLE_UNALIGNED, true);
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    failures
        .in(blocks(environment, source().bounded().blockRecords(BLOCKS_IN_FLIGHT_RECORDS).build()))
        .keyBy(PacketBlock::stream)
        .process(new StreamLedger("unaligned").slowedDown())
        .returns(Types.VOID)
        .uid("ledger")
        .sinkTo(new DiscardingSink<>())
        .uid("sink");
    StreamLedger.Book book = StreamLedger.begin("unaligned");
    job = environment.executeAsync("unaligned");
    waitUntil("readers there", () -> tap.writer().allHaveGatingReader());
    for (int failure = 0; failure < 3; failure++) {
      writeUntil("blocks lie in a checkpoint", () -> gauge("lastCheckpointPersistedData") > 0);
      failures.failOnce(FailureInjection.Place.PROCESSING, () -> tap.write(100));
    }
    tap.end();
    finish();
    assertThat(tap.dropped()).isZero();
    assertThat(book.repeated).hasValue(0);
    assertThat(book.lost()).isZero();
    assertThat(book.packets()).isEqualTo(tap.offered());
  }

  private void writeUntil(String what, BooleanSupplier condition) {
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("writing until: " + what).isLessThan(deadlineNs);
      tap.write(100);
    }
  }

  private long gauge(String name) {
    return METRICS.findMetrics(job.getJobID(), name).values().stream()
        .mapToLong(gauge -> ((Number) ((Gauge<?>) gauge).getValue()).longValue())
        .sum();
  }

  @Test
  void shouldWaitForATapThatStartsLater() throws Exception {
    startLedger(new CatalogSource(source().bounded().build()), configuration(2));
    CatalogSource.awaitPolls(2);
    tap = new TestTap(rings, 2, ROOMY_SLOTS_LOG2);
    tap.write(10_000);
    tap.end();
    finish();
    assertEveryPacketOnce();
  }

  @Test
  void shouldFollowATapThatIsStartedAgain() throws Exception {
    tap = new TestTap(rings, 1, ROOMY_SLOTS_LOG2);
    startLedger(source().build(), configuration(1));
    tap.write(3_000);
    waitUntil("all read", () -> BlockTotals.packetsInAll() == 3_000);
    tap.write(500);
    tap.close();
    tap = new TestTap(rings, 1, ROOMY_SLOTS_LOG2);
    tap.write(2_000);
    tap.heartbeat();
    waitUntil(
        "both incarnations accounted for",
        () -> BlockTotals.packetsInAll() + BlockTotals.lostInAll() == 5_500);
    assertThat(BlockTotals.lostInAll()).isZero();
  }

  /** Only this test starts checkpoints. Between them the ring holds all that was read. */
  @Test
  void shouldCountWhatIsLostWhileCheckpointsHoldTheRing(@InjectMiniCluster MiniCluster cluster)
      throws Exception {
    tap = new TestTap(rings, 1, SMALL_SLOTS_LOG2);
    Configuration configuration = configuration(1);
    configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofDays(1));
    configuration.set(CheckpointingOptions.MIN_PAUSE_BETWEEN_CHECKPOINTS, Duration.ofDays(1));
    startLedger(source().bounded().build(), configuration);
    waitUntil("reader there", () -> tap.writer().allHaveGatingReader());
    tap.write(4 << SMALL_SLOTS_LOG2);
    long dropped = tap.dropped();
    assertThat(dropped).isPositive();
    waitUntil("read", () -> BlockTotals.packetsInAll() == tap.offered() - dropped);
    CommonTestUtils.waitForAllTaskRunning(cluster, job.getJobID(), false);
    cluster.triggerCheckpoint(job.getJobID()).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    waitUntil("released", () -> heldFrom() > 0);
    tap.write(4 << SMALL_SLOTS_LOG2);
    assertThat(tap.dropped()).isGreaterThan(dropped);
    long untold = tap.writer().ringFile(0).counters().untoldPackets();
    assertThat(untold).as("dropped, and no slot to say so").isPositive();
    waitUntil("it is told", () -> gauge("packetsUntold$") == untold);
    tap.end();
    waitUntil(
        "the last checkpoint",
        () -> {
          var _ = cluster.triggerCheckpoint(job.getJobID());
          return isTerminal(job);
        });
    finish();
    assertThat(gauge("packetsUntold$")).as("counted as lost now").isZero();
    assertThat(BlockTotals.lostInAll()).isEqualTo(tap.dropped());
    assertThat(counted("packetsLost")).isEqualTo(tap.dropped());
    assertThat(BlockTotals.packetsInAll() + BlockTotals.lostInAll()).isEqualTo(tap.offered());
  }

  @Test
  void shouldReleaseOnReadWithoutCheckpoints() throws Exception {
    tap = new TestTap(rings, 1, SMALL_SLOTS_LOG2);
    Configuration configuration = configuration(1);
    configuration.removeConfig(CheckpointingOptions.CHECKPOINTING_INTERVAL);
    startLedger(source().bounded().build(), configuration);
    waitUntil("reader there", () -> tap.writer().allHaveGatingReader());
    for (int i = 0; i < 100; i++) {
      tap.write(400);
      long written = tap.offered();
      waitUntil("batch read", () -> BlockTotals.packetsInAll() == written);
      waitUntil("batch released", () -> heldFrom() >= written);
    }
    tap.end();
    finish();
    assertThat(tap.dropped()).isZero();
    assertEveryPacketOnce();
  }

  private long heldFrom() {
    return tap.writer().ringFile(0).lanes().occupants().getFirst().releasedPosition();
  }

  @Test
  void shouldCountAsLostWhatASavepointNeedsAndTheRingLostSince() throws Exception {
    tap = new TestTap(rings, 1, SMALL_SLOTS_LOG2);
    FpgaSource source = source().bounded().build();
    startLedger(source, configuration(1));
    tap.write(500);
    waitUntil("first read", () -> BlockTotals.packetsInAll() == 500);
    Configuration configuration = configuration(1);
    configuration.set(StateRecoveryOptions.SAVEPOINT_PATH, stopWithSavepoint());

    startLedger(source, configuration);
    for (int i = 0; i < 10; i++) {
      tap.write(500);
      long written = tap.offered();
      waitUntil("read", () -> BlockTotals.packetsInAll() == written);
      waitUntil("released", () -> heldFrom() >= written);
    }
    job.cancel().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    waitUntil("job gone", () -> isTerminal(job));

    startLedger(source, configuration);
    tap.end();
    finish();
    assertThat(tap.dropped()).isZero();
    assertThat(BlockTotals.packetsInAll()).isBetween(500L, 500L + 1024);
    assertThat(BlockTotals.packetsInAll() + BlockTotals.lostInAll()).isEqualTo(5_500);
  }

  @Test
  void shouldCloseWindowsWhileSomeRingsAreIdle() throws Exception {
    tap = new TestTap(rings, 4, ROOMY_SLOTS_LOG2);
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration(4));
    blocks(environment, source().build())
        .windowAll(TumblingEventTimeWindows.of(Duration.ofSeconds(1)))
        .process(new CountPackets())
        .sinkTo(new DiscardingSink<>());
    job = environment.executeAsync("windows");
    for (int second = 0; second < 5; second++) {
      tap.writeNumber(second);
      tap.sleep(1_000_000_000L);
      tap.heartbeat();
    }
    waitUntil("windows closed", () -> WINDOW_COUNTS.size() >= 4);
    assertThat(WINDOW_COUNTS).allMatch(count -> count == 1);
  }

  private static final class CountPackets
      extends ProcessAllWindowFunction<PacketBlock, Long, TimeWindow> {
    private static final long serialVersionUID = 1L;

    @Override
    public void process(Context context, Iterable<PacketBlock> blocks, Collector<Long> out) {
      long count = 0;
      for (PacketBlock block : blocks) {
        count += block.count();
      }
      WINDOW_COUNTS.add(count);
      out.collect(count);
    }
  }

  @Test
  void shouldWaitForLargeBlocksWhenAsked() throws Exception {
    tap = new TestTap(rings, 1, ROOMY_SLOTS_LOG2);
    startLedger(
        source().bounded().blockRecords(4096).minimumBlock(2048, Duration.ofSeconds(30)).build(),
        configuration(1));
    waitUntil("reader there", () -> tap.writer().allHaveGatingReader());
    List<Integer> sizes = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      tap.write(512);
      sizes.add(512);
      Thread.sleep(5);
    }
    waitUntil("blocks came", () -> BlockTotals.packetsInAll() > 4_000);
    assertThat(BlockTotals.LATEST.get(0).blocks()).isLessThan(sizes.size());
  }
}
