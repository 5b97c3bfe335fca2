// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import com.sun.management.ThreadMXBean;
import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.jobs.platform.PlatformJob;
import dev.flowstone.jobs.platform.PlatformOptions;
import dev.flowstone.model.PacketRecord;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;

/** Bytes that this JVM allocates per packet, all threads together. */
final class AllocBenchmark implements Benchmark {
  @Override
  public String name() {
    return "alloc";
  }

  @Override
  public String description() {
    return "bytes allocated per packet from ring to sink; baseline: one Flink element per packet";
  }

  @Override
  public BenchResult run(BenchScale scale) throws Exception {
    try (FilledRings rings = FilledRings.with(scale.packets())) {
      Windows blocks;
      Progress.say("blocks to a discarding sink");
      try (FlinkRun run =
          FlinkRun.start(1, environment -> SourceBenchmark.build(environment, rings.path()))) {
        blocks = bytesPerPacket(scale);
        run.requireRunning();
      }
      Windows elements;
      Progress.say("one element per packet");
      try (FlinkRun run = FlinkRun.start(1, environment -> buildElements(environment, rings))) {
        elements = bytesPerPacket(scale);
        run.requireRunning();
      }
      Map<String, Object> further = new LinkedHashMap<>();
      if (scale.isFull()) {
        further.put("kafka_bytes_per_packet", kafka(rings, scale));
      }
      return new BenchResult(
          name(),
          "bytes/packet",
          BenchResult.Better.LESS,
          blocks,
          elements.median(),
          "one Flink element per packet, object reuse on",
          further);
    }
  }

  private static double kafka(FilledRings rings, BenchScale scale) throws Exception {
    ThreadMXBean threads = threads();
    try (KafkaPath kafka = KafkaPath.start()) {
      KafkaTopic topic = kafka.createTopic("alloc");
      PlatformOptions options = kafka.job(rings.path(), topic);
      LappingSource source = new LappingSource(PlatformJob.source(options));
      try (FlinkRun run =
              FlinkRun.start(1, environment -> PlatformJob.build(environment, source, options));
          TopicEnds ends = new TopicEnds(topic)) {
        Windows.await(scale.warmUp());
        var first = ends.now();
        long startBytes = threads.getTotalThreadAllocatedBytes();
        Windows.await(scale.window());
        long bytes = threads.getTotalThreadAllocatedBytes() - startBytes;
        var end = ends.now();
        run.requireRunning();
        return (double) bytes / ends.recount(first, end).packets();
      }
    }
  }

  private static Windows bytesPerPacket(BenchScale scale) {
    ThreadMXBean threads = threads();
    Windows.awaitGrowth(ThreeFields.PACKETS::sum);
    Windows.await(scale.warmUp());
    List<Double> values = new ArrayList<>();
    for (int i = 0; i < scale.windows(); i++) {
      long startPackets = ThreeFields.PACKETS.sum();
      long startBytes = threads.getTotalThreadAllocatedBytes();
      Windows.await(scale.window());
      long bytes = threads.getTotalThreadAllocatedBytes() - startBytes;
      values.add((double) bytes / (ThreeFields.PACKETS.sum() - startPackets));
    }
    return new Windows(values);
  }

  private static ThreadMXBean threads() {
    return ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
  }

  private static void buildElements(StreamExecutionEnvironment environment, FilledRings rings) {
    environment.getConfig().enableObjectReuse();
    environment
        .fromSource(LappingSource.of(rings.path()), WatermarkStrategy.noWatermarks(), "Rings")
        .flatMap(new Elements())
        .returns(Types.TUPLE(Types.INT, Types.INT, Types.INT))
        .sinkTo(new DiscardingSink<>());
  }

  /** What a stream of single packets would do: an element for each, with the same three fields. */
  private static final class Elements
      implements FlatMapFunction<PacketBlock, Tuple3<Integer, Integer, Integer>> {
    private static final long serialVersionUID = 1L;

    @Override
    public void flatMap(PacketBlock block, Collector<Tuple3<Integer, Integer, Integer>> out) {
      for (int i = 0; i < block.count(); i++) {
        long offset = block.offsetOf(i);
        out.collect(
            Tuple3.of(
                PacketRecord.timeLow(block.segment(), offset),
                PacketRecord.flowHash(block.segment(), offset),
                PacketRecord.payloadLength(block.segment(), offset)));
      }
      ThreeFields.PACKETS.add(block.count());
    }
  }
}
