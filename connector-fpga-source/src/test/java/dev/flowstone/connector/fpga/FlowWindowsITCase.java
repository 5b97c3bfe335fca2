// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.Packet;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.functions.windowing.WindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.CloseableIterator;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Packets of each flow in each second, counted the way of Flink's textbook and by {@link
 * FlowWindows}, are those that the tap wrote.
 */
@Timeout(60)
class FlowWindowsITCase {
  private static final int PARALLELISM = 2;
  private static final long NS_PER_S = 1_000_000_000L;
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final long LOST_BEFORE_TAP = 50;
  private static final LongAdder LOST = new LongAdder();

  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(PARALLELISM)
              .build());

  @TempDir private Path rings;
  private final StreamExecutionEnvironment environment = environment();
  private final Map<Tuple2<Integer, Long>, Long> written = new TreeMap<>(FlowWindowsITCase::order);
  private TestTap tap;

  @AfterEach
  void stop() {
    tap.close();
  }

  /** With a type that only Kryo knows a job would fail here. */
  private static StreamExecutionEnvironment environment() {
    Configuration configuration = new Configuration();
    configuration.set(PipelineOptions.MAX_PARALLELISM, TestTap.KEY_GROUPS);
    configuration.set(PipelineOptions.GENERIC_TYPES, false);
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    environment.setParallelism(PARALLELISM);
    return environment;
  }

  private static int order(Tuple2<Integer, Long> one, Tuple2<Integer, Long> other) {
    int byFlow = Integer.compare(one.f0, other.f0);
    return byFlow == 0 ? Long.compare(one.f1, other.f1) : byFlow;
  }

  private FpgaSourceBuilder source() {
    return FpgaSource.builder()
        .ringDirectory(rings)
        .bounded()
        .discoveryInterval(Duration.ofMillis(50));
  }

  /** Packets a microsecond apart, in runs that lie across the begin of each second. */
  private void fillBehindALoss() {
    tap = new TestTap(rings, 2, 14);
    tap.writer().lostBeforeTap(LOST_BEFORE_TAP, TestTap.START_NS);
    fill();
  }

  private void fill(int ringCount, int slotsLog2) {
    tap = new TestTap(rings, ringCount, slotsLog2);
    fill();
  }

  private void fill() {
    long timeNs = TestTap.START_NS;
    int number = 0;
    for (int second = 1; second <= 3; second++) {
      long beginNs = TestTap.START_NS + second * NS_PER_S - 500_000;
      tap.sleep(beginNs - timeNs);
      tap.write(1_000);
      for (int i = 1; i <= 1_000; i++) {
        Tuple2<Integer, Long> key =
            Tuple2.of(number++ % TestTap.FLOWS, (beginNs + i * 1_000L) / NS_PER_S);
        written.merge(key, 1L, Long::sum);
      }
      timeNs = beginNs + 1_000_000;
    }
    tap.end();
  }

  private static Map<Tuple2<Integer, Long>, Long> collect(
      DataStream<Tuple3<Integer, Long, Long>> counts) throws Exception {
    Map<Tuple2<Integer, Long>, Long> collected = new TreeMap<>(FlowWindowsITCase::order);
    CloseableIterator<Tuple3<Integer, Long, Long>> results = counts.executeAndCollect("counts");
    results.forEachRemaining(
        count -> collected.merge(Tuple2.of(count.f0, count.f1), count.f2, Long::sum));
    results.close();
    return collected;
  }

  /** Textbook. */
  private static final class Count
      implements WindowFunction<Packet, Tuple3<Integer, Long, Long>, FlowTuple, TimeWindow> {
    private static final long serialVersionUID = 1L;

    @Override
    public void apply(
        FlowTuple flow,
        TimeWindow window,
        Iterable<Packet> packets,
        Collector<Tuple3<Integer, Long, Long>> out) {
      long count = 0;
      for (Packet packet : packets) {
        count += packet.tuple().equals(flow) ? 1 : 0;
      }
      out.collect(Tuple3.of(flow.sourcePort(), window.getStart() / 1_000, count));
    }
  }

  @Test
  void shouldCountEachPacketInTheSecondOfItsOwnTimeWithFlinksWindows() throws Exception {
    fill(4, 14);
    DataStream<PacketBlock> blocks =
        environment.fromSource(source().build(), WatermarkStrategy.noWatermarks(), "rings");
    assertThat(
            collect(
                Packets.of(blocks)
                    .keyBy(Packet::tuple)
                    .window(TumblingEventTimeWindows.of(SECOND))
                    .apply(new Count())))
        .isEqualTo(written);
  }

  @ParameterizedTest
  @EnumSource
  void shouldCountEachPacketInTheSecondOfItsOwnTime(FlowExchange exchange) throws Exception {
    fill(4, 14);
    DataStream<PacketBlock> blocks = exchange.blocksByFlow(environment, source(), "rings");
    assertThat(collect(FlowWindows.of(SECOND).aggregate(blocks, new PacketCount())))
        .isEqualTo(written);
  }

  @Test
  void shouldTellWhatIsMissing() throws Exception {
    fillBehindALoss();
    LOST.reset();
    SingleOutputStreamOperator<Tuple3<Integer, Long, Long>> counts =
        FlowWindows.of(SECOND)
            .aggregate(
                FlowExchange.ALWAYS.blocksByFlow(environment, source(), "rings"),
                new PacketCount());
    counts.getSideOutput(LostPackets.TAG).map(new AddUpLosses()).sinkTo(new DiscardingSink<>());
    long counted = collect(counts).values().stream().mapToLong(Long::longValue).sum();
    assertThat(LOST.sum()).isEqualTo(LOST_BEFORE_TAP);
    assertThat(counted).isEqualTo(tap.offered()).isEqualTo(3_000);
  }

  @Test
  void shouldTellWhatIsMissingAmongPackets() throws Exception {
    fillBehindALoss();
    LOST.reset();
    SingleOutputStreamOperator<Packet> packets =
        Packets.of(
            environment.fromSource(source().build(), WatermarkStrategy.noWatermarks(), "rings"));
    packets.getSideOutput(LostPackets.TAG).map(new AddUpLosses()).sinkTo(new DiscardingSink<>());
    List<Packet> counted = packets.executeAndCollect(10_000);
    assertThat(LOST.sum()).isEqualTo(LOST_BEFORE_TAP);
    assertThat(counted).hasSize(3_000);
  }

  private static final class AddUpLosses implements MapFunction<LostPackets, Long> {
    private static final long serialVersionUID = 1L;

    @Override
    public Long map(LostPackets lost) {
      LOST.add(lost.inRing() + lost.beforeTap());
      return lost.inRing();
    }
  }

  /**
   * Straight from the source, three rings for two subtasks. Run without collecting, whose client
   * may ask a job that is failing for results and report only that it got none; and without an end,
   * since Flink blames the news that no more rings will come when it finds its task failing.
   */
  @Test
  void shouldFailOverBlocksThatAreNotByFlow() {
    fill(3, 14);
    DataStream<PacketBlock> blocks =
        environment.fromSource(
            FpgaSource.builder().ringDirectory(rings).build(),
            WatermarkStrategy.noWatermarks(),
            "rings");
    FlowWindows.of(SECOND).aggregate(blocks, new PacketCount()).sinkTo(new DiscardingSink<>());
    assertThatThrownBy(environment::execute).hasStackTraceContaining("blocksByFlow");
  }
}
