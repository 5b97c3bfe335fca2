// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.jobs.platform.PlatformJob;
import java.util.ArrayList;
import java.util.List;

/** Packets per second from filled rings through Flink to a real broker, exactly once. */
final class KafkaBenchmark implements MixBenchmark {
  /** All runs of the tool send what Flowstone sends in its windows, but no more than this. */
  private static final long MOST_TOOL_BYTES = 4L << 30;

  private static final double NS_PER_S = 1e9;

  @Override
  public String name() {
    return "kafka";
  }

  @Override
  public String description() {
    return "packets/s from filled rings through Flink to Kafka; baseline: one packet per message";
  }

  @Override
  public BenchResult run(Mix mix, BenchScale scale) throws Exception {
    double parserNs = NS_PER_S / new ParseBenchmark().run(mix, scale.brief()).figure();
    try (FilledRings rings = FilledRings.with(mix, scale.packets());
        KafkaPath kafka = KafkaPath.start()) {
      KafkaComparison comparison =
          KafkaComparison.of((load, windows) -> measure(rings, kafka, load, windows), scale);
      KafkaMeasurement measured = comparison.exactlyOnce();
      Windows tool = tool(kafka, measured, scale.windows());
      double bytesPerSecond = measured.rates().median() * measured.bytesPerPacket();
      return comparison
          .result(name())
          .with("parser_ns_per_packet", parserNs)
          .with("cpu_times_parser", measured.cpuNsPerPacket() / parserNs)
          .with("bytes_per_s", bytesPerSecond)
          .with("producer_tool", tool.median())
          .with("producer_tool_range", tool.range())
          .with("ratio_producer_tool", bytesPerSecond / tool.median());
    }
  }

  private static Windows tool(KafkaPath kafka, KafkaMeasurement measured, int runs)
      throws Exception {
    KafkaTopic topic = kafka.createTopic();
    long bytes = Math.min(MOST_TOOL_BYTES, measured.content().bytes()) / runs;
    List<Double> rates = new ArrayList<>();
    for (int run = 1; run <= runs; run++) {
      Progress.say("Kafka's producer tool, run " + run);
      rates.add(ProducerTool.bytesPerSecond(topic, (int) measured.bytesPerMessage(), bytes));
    }
    return new Windows(rates);
  }

  private static KafkaMeasurement measure(
      FilledRings rings, KafkaPath kafka, KafkaLoad load, BenchScale scale) throws Exception {
    return kafka.during(
        load,
        rings.path(),
        options -> new LappingSource(PlatformJob.source(options)),
        (topic, run) ->
            KafkaMeasurement.of(topic, run, scale, ProcessHandle.current(), kafka.process()));
  }
}
