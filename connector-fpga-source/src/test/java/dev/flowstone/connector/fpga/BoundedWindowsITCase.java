// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A bounded job with windows as a textbook writes them gives every packet, the last ones too. */
@Timeout(60)
class BoundedWindowsITCase {
  private static final int PARALLELISM = 2;
  private static final int SLOTS_LOG2 = 16;
  private static final long SECOND_NS = 1_000_000_000L;

  @RegisterExtension
  static final MiniClusterExtension CLUSTER =
      new MiniClusterExtension(
          new MiniClusterResourceConfiguration.Builder()
              .setNumberTaskManagers(1)
              .setNumberSlotsPerTaskManager(PARALLELISM)
              .build());

  /** Packets that the source has emitted. */
  private static final LongAdder EMITTED = new LongAdder();

  @TempDir private Path scratch;
  private final List<TestTap> taps = new ArrayList<>();
  private final FpgaSourceBuilder source =
      FpgaSource.builder().bounded().discoveryInterval(Duration.ofMillis(50));

  @BeforeEach
  void begin() {
    EMITTED.reset();
  }

  @AfterEach
  void stop() {
    taps.forEach(TestTap::close);
  }

  private TestTap tap(int rings) {
    Path folder = scratch.resolve("rings-" + taps.size());
    TestTap tap = new TestTap(folder, rings, SLOTS_LOG2);
    source.ringDirectory(folder);
    taps.add(tap);
    return tap;
  }

  /** Packets over three and a half seconds, in all flows. */
  private static void writeSomeSeconds(TestTap tap) {
    for (int half = 0; half < 7; half++) {
      tap.write(1_000);
      tap.sleep(SECOND_NS / 2);
    }
  }

  private CloseableIterator<Tuple2<Integer, Long>> start() throws Exception {
    Configuration configuration = new Configuration();
    configuration.set(PipelineOptions.MAX_PARALLELISM, TestTap.KEY_GROUPS);
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    environment.setParallelism(PARALLELISM);
    return environment
        .fromSource(new CatalogSource(source.build()), WatermarkStrategy.noWatermarks(), "rings")
        .map(BoundedWindowsITCase::counted)
        .returns(Types.TUPLE(Types.INT, Types.LONG))
        .keyBy(counted -> counted.f0)
        .window(TumblingEventTimeWindows.of(Duration.ofSeconds(1)))
        .sum(1)
        .executeAndCollect("windows");
  }

  private static Tuple2<Integer, Long> counted(PacketBlock block) {
    EMITTED.add(block.count());
    return Tuple2.of(block.ring(), (long) block.count());
  }

  /** Returns when all that was written is read and the readers have then found nothing more. */
  private void awaitIdleReaders() throws InterruptedException {
    while (EMITTED.sum() < offered()) {
      Thread.sleep(5);
    }
    CatalogSource.awaitPolls(PARALLELISM);
  }

  private static long sum(CloseableIterator<Tuple2<Integer, Long>> windows) throws Exception {
    long packets = 0;
    while (windows.hasNext()) {
      packets += windows.next().f1;
    }
    windows.close();
    return packets;
  }

  private long offered() {
    return taps.stream().mapToLong(TestTap::offered).sum();
  }

  @Test
  void shouldGiveEveryPacketOfOneRing() throws Exception {
    TestTap tap = tap(1);
    writeSomeSeconds(tap);
    tap.end();
    assertThat(sum(start())).isEqualTo(offered()).isEqualTo(7_000);
  }

  @Test
  void shouldGiveEveryPacketOfManyRings() throws Exception {
    TestTap tap = tap(4);
    writeSomeSeconds(tap);
    tap.end();
    assertThat(sum(start())).isEqualTo(offered());
  }

  @Test
  void shouldGiveEveryPacketWhenARingHasNone() throws Exception {
    TestTap tap = tap(4);
    for (int number = 0; number < 100; number++) {
      tap.writeNumber(number);
      tap.sleep(SECOND_NS / 20);
    }
    tap.end();
    assertThat(sum(start())).isEqualTo(offered()).isEqualTo(100);
  }

  /** Neither the end of one nor the silence of the other must let time pass what is to come. */
  @Test
  void shouldGiveEveryPacketWhenOneTapEndsLongBeforeTheOther() throws Exception {
    source.idleTimeout(Duration.ofMillis(50));
    TestTap early = tap(1);
    TestTap late = tap(1);
    writeSomeSeconds(early);
    early.end();
    CloseableIterator<Tuple2<Integer, Long>> windows = start();
    for (int second = 0; second < 5; second++) {
      late.write(1_000);
      late.sleep(SECOND_NS);
      awaitIdleReaders();
    }
    late.end();
    assertThat(sum(windows)).isEqualTo(offered()).isEqualTo(12_000);
  }

  /** What it holds would be late, and windows drop what is late. */
  @Test
  void shouldGiveEveryPacketOfATapThatComesWhenTheOtherHasEnded() throws Exception {
    TestTap early = tap(1);
    writeSomeSeconds(early);
    early.end();
    Path folder = scratch.resolve("rings-1");
    source.ringDirectory(folder);
    CloseableIterator<Tuple2<Integer, Long>> windows = start();
    awaitIdleReaders();
    TestTap late = new TestTap(folder, 1, SLOTS_LOG2);
    taps.add(late);
    writeSomeSeconds(late);
    late.end();
    assertThat(sum(windows)).isEqualTo(offered()).isEqualTo(14_000);
  }

  @Test
  void shouldGiveEveryPacketWhenRingsFallSilentBeforeTheirEnd() throws Exception {
    source.idleTimeout(Duration.ofMillis(50));
    TestTap tap = tap(2);
    writeSomeSeconds(tap);
    CloseableIterator<Tuple2<Integer, Long>> windows = start();
    awaitIdleReaders();
    tap.end();
    assertThat(sum(windows)).isEqualTo(offered());
  }
}
