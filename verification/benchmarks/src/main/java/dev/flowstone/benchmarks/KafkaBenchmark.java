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
  public Steps steps(BenchScale scale) {
    Steps comparison = KafkaComparison.steps(scale);
    return scale.isQuick()
        ? comparison
        : new ParseBenchmark()
            .steps(scale.brief())
            .plus(comparison)
            .plus(Steps.ofUnknownLength(scale.windows()));
  }

  @Override
  public BenchResult run(Mix mix, BenchScale scale) throws Exception {
    if (scale.isQuick()) {
      return measured(mix, scale, (_, comparison) -> comparison.result(name()));
    }
    double parserNs = NS_PER_S / new ParseBenchmark().run(mix, scale.brief()).figure();
    return measured(
        mix,
        scale,
        (kafka, comparison) ->
            withTool(kafka, comparison, scale.windows())
                .with("parser_ns_per_packet", parserNs)
                .with("cpu_times_parser", comparison.exactlyOnce().cpuNsPerPacket() / parserNs));
  }

  private interface Results {
    BenchResult of(KafkaPath kafka, KafkaComparison comparison) throws Exception;
  }

  private static BenchResult measured(Mix mix, BenchScale scale, Results results) throws Exception {
    try (FilledRings rings = FilledRings.with(mix, scale.packets());
        KafkaPath kafka = KafkaPath.start()) {
      return results.of(
          kafka,
          KafkaComparison.of((load, windows) -> measure(rings, kafka, load, windows), scale));
    }
  }

  private BenchResult withTool(KafkaPath kafka, KafkaComparison comparison, int runs)
      throws Exception {
    KafkaMeasurement measured = comparison.exactlyOnce();
    Windows tool = tool(kafka, measured, runs);
    double bytesPerSecond = measured.rates().median() * measured.bytesPerPacket();
    return comparison
        .result(name())
        .with("bytes_per_s", bytesPerSecond)
        .with("producer_tool", tool.median())
        .with("producer_tool_range", tool.range())
        .with("ratio_producer_tool", bytesPerSecond / tool.median());
  }

  private static Windows tool(KafkaPath kafka, KafkaMeasurement measured, int runs)
      throws Exception {
    KafkaTopic topic = kafka.createTopic();
    long bytes = Math.min(MOST_TOOL_BYTES, measured.content().bytes()) / runs;
    List<Double> rates = new ArrayList<>();
    for (int run = 1; run <= runs; run++) {
      Progress.step("Kafka's producer tool, run " + run);
      rates.add(ProducerTool.bytesPerSecond(topic, (int) measured.bytesPerMessage(), bytes));
    }
    return new Windows(rates);
  }

  private static KafkaMeasurement measure(
      FilledRings rings, KafkaPath kafka, KafkaLoad load, BenchScale scale) throws Exception {
    return kafka.during(
        load,
        scale.commitInterval(),
        rings.path(),
        options -> new LappingSource(PlatformJob.source(options)),
        (topic, run) ->
            KafkaMeasurement.of(topic, run, scale, ProcessHandle.current(), kafka.process()));
  }
}
