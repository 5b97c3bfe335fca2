// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.harness.ScratchFolder;
import dev.flowstone.jobs.platform.PlatformJob;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.processes.ChildProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Packets per second the whole way: from frames in memory through parser, rings and Flink. */
final class WireBenchmark implements MixBenchmark {
  /** About 800 MiB of frames. */
  private static final long MOST_FRAMES = 1L << 23;

  private static final Duration START_LIMIT = Duration.ofMinutes(2);

  @Override
  public String name() {
    return "wire";
  }

  @Override
  public String description() {
    return "packets/s from frames in memory to Kafka, parser included; baseline: one packet per message";
  }

  @Override
  public Steps steps(BenchScale scale) {
    return KafkaComparison.steps(scale);
  }

  @Override
  public BenchResult run(Mix mix, BenchScale scale) throws Exception {
    try (KafkaPath kafka = KafkaPath.start()) {
      return KafkaComparison.of((load, windows) -> measure(kafka, mix, load, windows), scale)
          .result(name());
    }
  }

  private static KafkaMeasurement measure(
      KafkaPath kafka, Mix mix, KafkaLoad load, BenchScale scale) throws Exception {
    try (ScratchFolder folder = ScratchFolder.inMemory("bench");
        ChildProcess tap =
            MeasuredProcess.start(
                "tap",
                folder.path(),
                FramesTap.class.getName(),
                arguments(folder.path(), mix, Math.min(scale.packets(), MOST_FRAMES)))) {
      awaitRings(new RingDirectory(folder.path()), tap);
      return kafka.during(
          load,
          scale.commitInterval(),
          folder.path(),
          PlatformJob::source,
          (topic, run) ->
              KafkaMeasurement.of(
                  topic, run, scale, ProcessHandle.current(), kafka.process(), tap.handle()));
    }
  }

  private static List<String> arguments(Path rings, Mix mix, long frames) {
    return List.of(rings.toString(), mix.name(), Long.toString(frames));
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
