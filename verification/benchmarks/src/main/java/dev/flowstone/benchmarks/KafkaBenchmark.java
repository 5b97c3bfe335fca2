// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.jobs.platform.PlatformJob;
import dev.flowstone.jobs.platform.PlatformOptions;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Packets per second from filled rings through Flink to a real broker, acknowledged by it. */
final class KafkaBenchmark implements Benchmark {
  /** A broker's compilers take that long: until then they have a core to themselves. */
  private static final Duration WARM_UP = Duration.ofSeconds(25);

  private static final Duration WINDOW = Duration.ofSeconds(20);
  private static final int WINDOWS = 3;
  private static final Duration SHORT_WINDOW = Duration.ofSeconds(8);

  /** The tool sends what Flowstone sends in one window, but no more than this. */
  private static final long MOST_TOOL_BYTES = 4L << 30;

  @Override
  public String name() {
    return "kafka";
  }

  @Override
  public String description() {
    return "packets/s from filled rings through Flink to Kafka; baseline: one packet per message";
  }

  @Override
  public BenchResult run(BenchScale scale) throws Exception {
    BenchScale trial = scale.isFull() ? scale.withWindows(SHORT_WINDOW, 1) : scale;
    BenchScale whole =
        scale.isFull() ? scale.withWarmUp(WARM_UP).withWindows(WINDOW, WINDOWS) : scale;
    try (FilledRings rings = FilledRings.with(scale.packets());
        KafkaPath kafka = KafkaPath.start()) {
      double alone = measure(rings, kafka, "trial-1", 1, trial).recounted().median();
      double two = measure(rings, kafka, "trial-2", 2, trial).recounted().median();
      int best = alone >= two ? 1 : 2;
      KafkaMeasurement batches = measure(rings, kafka, "packets", best, whole);
      Progress.say("one packet per message");
      KafkaMeasurement singles = measure(rings, kafka, "singles", best, trial, 1);
      double tool = tool(kafka, batches);
      Map<String, Object> further = new LinkedHashMap<>();
      report(batches, further);
      further.put("parallelism", best);
      further.put("trial_parallelism_1", alone);
      further.put("trial_parallelism_2", two);
      further.put("delivery", "at-least-once, acks all");
      double bytesPerSecond = batches.recounted().median() * batches.bytesPerPacket();
      further.put("bytes_per_s", bytesPerSecond);
      further.put("producer_tool", tool);
      further.put("ratio_producer_tool", bytesPerSecond / tool);
      return new BenchResult(
          name(),
          "packets/s",
          BenchResult.Better.MORE,
          batches.recounted(),
          singles.recounted().median(),
          "one packet per message, same job and broker",
          further);
    }
  }

  static void report(KafkaMeasurement measured, Map<String, Object> further) {
    further.put("acknowledged_by_offsets", measured.acknowledged().median());
    further.put("packets_recounted", measured.content().packets());
    further.put("bytes_per_packet", measured.bytesPerPacket());
    further.put("bytes_per_message", measured.bytesPerMessage());
    further.put("cpu_ns_per_packet", measured.cpuNsPerPacket());
  }

  private static double tool(KafkaPath kafka, KafkaMeasurement batches) throws Exception {
    KafkaTopic topic = kafka.createTopic("tool");
    long bytes = Math.min(MOST_TOOL_BYTES, batches.content().bytes());
    return ProducerTool.bytesPerSecond(topic, (int) batches.bytesPerMessage(), bytes);
  }

  private static KafkaMeasurement measure(
      FilledRings rings, KafkaPath kafka, String topic, int parallelism, BenchScale scale)
      throws Exception {
    Progress.say(topic + ": parallelism " + parallelism);
    return measure(rings, kafka, topic, parallelism, scale, new PlatformOptions().batchPackets);
  }

  static KafkaMeasurement measure(
      FilledRings rings,
      KafkaPath kafka,
      String topic,
      int parallelism,
      BenchScale scale,
      int batchPackets)
      throws Exception {
    KafkaTopic written = kafka.createTopic(topic);
    PlatformOptions options = kafka.job(rings.path(), written);
    options.batchPackets = batchPackets;
    LappingSource source = new LappingSource(PlatformJob.source(options));
    try (FlinkRun run =
            FlinkRun.start(
                parallelism, environment -> PlatformJob.build(environment, source, options));
        TopicEnds ends = new TopicEnds(written)) {
      return KafkaMeasurement.of(ends, run, scale, ProcessHandle.current(), kafka.process());
    } finally {
      written.delete();
    }
  }
}
