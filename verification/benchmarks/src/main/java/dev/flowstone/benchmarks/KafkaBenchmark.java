// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.jobs.platform.PlatformJob;

/** Packets per second from filled rings through Flink to a real broker, exactly once. */
final class KafkaBenchmark implements MixBenchmark {
  /** The tool sends what Flowstone sends in its windows, but no more than this. */
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
      double tool = tool(kafka, measured);
      double bytesPerSecond = measured.rates().median() * measured.bytesPerPacket();
      return comparison
          .result(name())
          .with("parser_ns_per_packet", parserNs)
          .with("cpu_times_parser", measured.cpuNsPerPacket() / parserNs)
          .with("bytes_per_s", bytesPerSecond)
          .with("producer_tool", tool)
          .with("ratio_producer_tool", bytesPerSecond / tool);
    }
  }

  private static double tool(KafkaPath kafka, KafkaMeasurement measured) throws Exception {
    KafkaTopic topic = kafka.createTopic();
    long bytes = Math.min(MOST_TOOL_BYTES, measured.content().bytes());
    return ProducerTool.bytesPerSecond(topic, (int) measured.bytesPerMessage(), bytes);
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
