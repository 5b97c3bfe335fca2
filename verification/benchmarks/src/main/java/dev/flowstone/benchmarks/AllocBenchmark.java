// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import com.sun.management.ThreadMXBean;
import dev.flowstone.benchmarks.KafkaLoad.Messages;
import dev.flowstone.benchmarks.TopicEnds.Edge;
import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.jobs.platform.PlatformJob;
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
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.util.Collector;

/** Bytes that this JVM allocates per packet, all threads together. */
final class AllocBenchmark implements MixBenchmark {
  @Override
  public String name() {
    return "alloc";
  }

  @Override
  public String description() {
    return "bytes allocated per packet from ring to sink; baseline: one Flink element per packet";
  }

  @Override
  public Steps steps(BenchScale scale) {
    Steps figure = Steps.of(scale, scale);
    return scale.isFull() ? figure.plus(Steps.of(scale)) : figure;
  }

  @Override
  public BenchResult run(Mix mix, BenchScale scale) throws Exception {
    try (FilledRings rings = FilledRings.with(mix, scale.packets())) {
      Windows blocks;
      Progress.step("blocks to a discarding sink", scale);
      try (FlinkRun run =
          FlinkRun.start(1, environment -> SourceBenchmark.build(environment, rings.path()))) {
        blocks = bytesPerPacket(scale);
        run.requireRunning();
      }
      Windows elements;
      Progress.step("one element per packet", scale);
      try (FlinkRun run = FlinkRun.start(1, environment -> buildElements(environment, rings))) {
        elements = bytesPerPacket(scale);
        run.requireRunning();
      }
      Map<String, Object> further = new LinkedHashMap<>();
      if (scale.isFull()) {
        Windows kafka = kafka(rings, scale);
        further.put("kafka_bytes_per_packet", kafka.median());
        further.put("kafka_range", kafka.range());
      }
      return new BenchResult(
          name(),
          "bytes/packet",
          BenchResult.Better.LESS,
          blocks,
          elements,
          "one Flink element per packet, object reuse on",
          further);
    }
  }

  private static Windows kafka(FilledRings rings, BenchScale scale) throws Exception {
    KafkaLoad load = new KafkaLoad(Messages.BATCHES, DeliveryGuarantee.EXACTLY_ONCE, 1);
    try (KafkaPath kafka = KafkaPath.start()) {
      Progress.step("blocks to Kafka", scale);
      return kafka.during(
          load,
          scale.commitInterval(),
          rings.path(),
          options -> new LappingSource(PlatformJob.source(options)),
          (topic, run) -> bytesPerPacket(topic, run, scale));
    }
  }

  private static Windows bytesPerPacket(TopicEnds topic, FlinkRun run, BenchScale scale)
      throws Exception {
    ThreadMXBean threads = threads();
    topic.awaitFirst();
    Windows.await(scale.warmUp());
    List<Double> values = new ArrayList<>();
    for (int i = 0; i < scale.windows(); i++) {
      Edge first = topic.edge();
      long startBytes = threads.getTotalThreadAllocatedBytes();
      Windows.await(scale.window());
      Edge end = topic.edge();
      long bytes = threads.getTotalThreadAllocatedBytes() - startBytes;
      run.requireRunning();
      // The recount allocates, too, but between the windows.
      values.add((double) bytes / topic.recount(first.ends(), end.ends()).packets());
    }
    return new Windows(values);
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
