// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.flink.runtime.checkpoint.CompletedCheckpointStats;

/**
 * How fast a job was that keeps state of flows, and what its checkpoints took.
 *
 * @param leastSample packets per second in the least 100 ms
 * @param samplesAtZero in which no packet was taken
 * @param checkpointBytes that each checkpoint wrote
 * @param flowBytes of all pages of the flow table that hold flows, at the end
 * @param stoppedMs how long packets waited for the pages of one checkpoint to be written, at most
 * @param processBytes that the process had of its own, at most; rings are not
 */
record CheckpointedRun(
    List<Double> perCore,
    List<Double> byTheClock,
    double leastSample,
    int samplesAtZero,
    List<Long> checkpointBytes,
    long flowBytes,
    long stoppedMs,
    long processBytes) {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final String OWN_MEMORY = "RssAnon:";
  private static final long BYTES_PER_KIB = 1024;
  private static final Duration CHECKPOINT_LIMIT = Duration.ofSeconds(30);
  private static final Duration POLL = Duration.ofMillis(50);

  /**
   * Measures a job that was started and has seen all flows.
   *
   * @param takesCheckpoints whether one is waited for, if need be
   */
  static CheckpointedRun of(FlinkRun run, BenchScale scale, boolean takesCheckpoints)
      throws Exception {
    Windows.await(scale.warmUp());
    LeastSample samples = new LeastSample(CountedBlocks.PACKETS::sum);
    AtomicLong stoppedMs = new AtomicLong();
    AtomicLong processBytes = new AtomicLong();
    FlinkRates rates =
        FlinkRates.of(
            run,
            scale.windows(),
            () -> {
              samples.await(scale.window());
              stoppedMs.accumulateAndGet(run.sumOfStages("writeBackMs"), Math::max);
              processBytes.accumulateAndGet(ownMemoryBytes(), Math::max);
            });
    if (takesCheckpoints) {
      awaitCheckpoint(run);
    }
    return new CheckpointedRun(
        rates.perCore().values(),
        rates.byTheClock().values(),
        samples.perSecond(),
        samples.zeros(),
        checkpointBytes(run),
        run.sumOfStages("flowBytes"),
        stoppedMs.get(),
        processBytes.get());
  }

  /** Both in one: the flow table as it is in the later. */
  CheckpointedRun and(CheckpointedRun later) {
    return new CheckpointedRun(
        both(perCore, later.perCore),
        both(byTheClock, later.byTheClock),
        Math.min(leastSample, later.leastSample),
        samplesAtZero + later.samplesAtZero,
        both(checkpointBytes, later.checkpointBytes),
        later.flowBytes,
        Math.max(stoppedMs, later.stoppedMs),
        Math.max(processBytes, later.processBytes));
  }

  private static <T> List<T> both(List<T> one, List<T> other) {
    return Stream.concat(one.stream(), other.stream()).toList();
  }

  private static List<Long> checkpointBytes(FlinkRun run) throws Exception {
    List<Long> bytes = new ArrayList<>();
    for (var checkpoint : run.job().checkpoints().getHistory().getCheckpoints()) {
      if (checkpoint instanceof CompletedCheckpointStats completed) {
        bytes.add(completed.getCheckpointedSize());
      }
    }
    return bytes;
  }

  private static void awaitCheckpoint(FlinkRun run) throws Exception {
    long endNs = System.nanoTime() + CHECKPOINT_LIMIT.toNanos();
    while (checkpointBytes(run).isEmpty()) {
      if (System.nanoTime() - endNs > 0) {
        throw new IllegalStateException("no checkpoint was completed");
      }
      Windows.await(POLL);
    }
  }

  private static long ownMemoryBytes() {
    try (Stream<String> lines = Files.lines(STATUS)) {
      String line = lines.filter(each -> each.startsWith(OWN_MEMORY)).findFirst().orElseThrow();
      return Long.parseLong(line.replaceAll("\\D", "")) * BYTES_PER_KIB;
    } catch (IOException e) {
      throw new IllegalStateException(STATUS + ": cannot be read", e);
    }
  }
}
