// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.harness.KafkaTopic;
import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.jobs.platform.PlatformJob;
import dev.flowstone.jobs.platform.PlatformOptions;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.tap.command.TapCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Packets per second the whole way: generated, parsed, through rings and Flink, acknowledged. */
final class WireBenchmark implements Benchmark {
  /** A broker's compilers take that long: until then they have a core to themselves. */
  private static final Duration WARM_UP = Duration.ofSeconds(25);

  private static final Duration WINDOW = Duration.ofSeconds(20);
  private static final int WINDOWS = 3;
  private static final Duration SHORT_WINDOW = Duration.ofSeconds(10);
  private static final Duration START_LIMIT = Duration.ofSeconds(60);

  @Override
  public String name() {
    return "wire";
  }

  @Override
  public String description() {
    return "packets/s from synthetic tap to Kafka, parser included; baseline: one packet per message";
  }

  @Override
  public BenchResult run(BenchScale scale) throws Exception {
    BenchScale whole =
        scale.isFull() ? scale.withWarmUp(WARM_UP).withWindows(WINDOW, WINDOWS) : scale;
    BenchScale trial = scale.isFull() ? scale.withWindows(SHORT_WINDOW, 1) : scale;
    try (KafkaPath kafka = KafkaPath.start()) {
      KafkaMeasurement batches =
          measure(kafka, "packets", whole, new PlatformOptions().batchPackets);
      KafkaMeasurement singles = measure(kafka, "singles", trial, 1);
      Map<String, Object> further = new LinkedHashMap<>();
      KafkaBenchmark.report(batches, further);
      further.put("parallelism", 1);
      further.put("delivery", "at-least-once, acks all");
      return new BenchResult(
          name(),
          "packets/s",
          BenchResult.Better.MORE,
          batches.recounted(),
          singles.recounted().median(),
          "one packet per message, same tap, job and broker",
          further);
    }
  }

  private static KafkaMeasurement measure(
      KafkaPath kafka, String topic, BenchScale scale, int batchPackets) throws Exception {
    Progress.say(topic + ": tap, Flink and broker");
    try (ScratchFolder folder = ScratchFolder.inMemory("bench")) {
      return measure(kafka, new RingDirectory(folder.path()), topic, scale, batchPackets);
    }
  }

  private static KafkaMeasurement measure(
      KafkaPath kafka, RingDirectory rings, String topic, BenchScale scale, int batchPackets)
      throws Exception {
    KafkaTopic written = kafka.createTopic(topic);
    PlatformOptions options = kafka.job(rings.path(), written);
    options.batchPackets = batchPackets;
    try (ChildProcess tap =
        MeasuredProcess.start(
            "tap", rings.path(), TapCommand.class.getName(), arguments(rings.path()))) {
      awaitRings(rings, tap);
      try (FlinkRun run =
              FlinkRun.start(1, environment -> PlatformJob.build(environment, options));
          TopicEnds ends = new TopicEnds(written)) {
        return KafkaMeasurement.of(
            ends, run, scale, ProcessHandle.current(), kafka.process(), tap.handle());
      }
    } finally {
      written.delete();
    }
  }

  private static List<String> arguments(Path rings) {
    return List.of(
        "synthetic",
        "--unlimited",
        "--when-full",
        "wait",
        "--wait-for-reader",
        "--rings",
        rings.toString(),
        "--ring-count",
        Integer.toString(FilledRings.RING_COUNT),
        "--ring-bytes",
        "512m");
  }

  private static void awaitRings(RingDirectory rings, ChildProcess tap) throws IOException {
    long endNs = System.nanoTime() + START_LIMIT.toNanos();
    while (rings.ringFiles().size() < FilledRings.RING_COUNT) {
      tap.requireRunning();
      if (System.nanoTime() - endNs > 0) {
        throw new IOException(rings.path() + ": the tap made no rings");
      }
      Windows.await(Duration.ofMillis(10));
    }
  }
}
