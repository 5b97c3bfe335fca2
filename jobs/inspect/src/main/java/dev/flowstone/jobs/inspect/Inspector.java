// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import dev.flowstone.jobs.inspect.count.InspectException;
import dev.flowstone.jobs.inspect.count.InspectLimits;
import dev.flowstone.jobs.inspect.flow.Gaps;
import dev.flowstone.jobs.inspect.flow.TimeSorter;
import dev.flowstone.jobs.inspect.flow.UnsortedFlow;
import dev.flowstone.jobs.inspect.report.Inspection;
import dev.flowstone.jobs.inspect.traffic.SynReport;
import dev.flowstone.jobs.inspect.traffic.TrafficCounter;
import dev.flowstone.jobs.inspect.traffic.TrafficSummary;
import dev.flowstone.offheap.Reason;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.tap.replay.CaptureCheck;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Answers for captures. Several threads may each have one in hand, but a large one is alone: the
 * limits are what the heap has room for, whatever the company.
 */
final class Inspector {
  /**
   * Bytes of captures in hand at the same time; a capture of more takes them all. So many bytes
   * hold less than two million packets, whose flows are far from the limits.
   */
  private static final int MOST_BYTES_IN_HAND = 64 << 20;

  private final InspectFlink flink;
  private final Path folder;
  private final InspectLimits limits;
  private final Semaphore bytesInHand = new Semaphore(MOST_BYTES_IN_HAND, true);
  private final AtomicInteger passes = new AtomicInteger();

  /** Rings are made in folders below {@code folder} and removed when they were read. */
  Inspector(InspectFlink flink, Path folder, InspectLimits limits) {
    this.flink = flink;
    this.folder = folder;
    this.limits = limits;
  }

  /** What can be said of a file without a job: that it is no capture. */
  static Optional<Inspection.Failure> refusal(String file) {
    try {
      CaptureCheck.requireReadable(Path.of(file));
      return Optional.empty();
    } catch (RuntimeException e) {
      return Optional.of(new Inspection.Failure(file, Reason.of(e)));
    }
  }

  Inspection inspect(String file) {
    Optional<Inspection.Failure> refusal = refusal(file);
    if (refusal.isPresent()) {
      return refusal.get();
    }
    try {
      Path path = Path.of(file);
      int bytes = Math.clamp(path.toFile().length(), 1, MOST_BYTES_IN_HAND);
      bytesInHand.acquireUninterruptibly(bytes);
      try {
        return answer(file, path);
      } finally {
        bytesInHand.release(bytes);
      }
    } catch (IOException | RuntimeException e) {
      Throwable cause = e instanceof CompletionException && e.getCause() != null ? e.getCause() : e;
      return new Inspection.Failure(file, Reason.of(cause));
    } catch (OutOfMemoryError e) {
      return new Inspection.Failure(file, InspectException.outOfMemory(e).getMessage());
    }
  }

  private Inspection.Answer answer(String file, Path path) throws IOException {
    // All that goes into the job.
    InspectLimits limitsOfRing = limits;
    CapturePass<List<TrafficSummary>> pass =
        CapturePass.of(
            path, nextRings(), rings -> flink.count(rings, () -> new TrafficCounter(limitsOfRing)));
    TrafficSummary summary = pass.answer().stream().reduce(TrafficSummary::plus).orElseThrow();
    requireAll(summary, pass.offeredPackets());
    SynReport syns = summary.synReport();
    return new Inspection.Answer(
        file, withAllGaps(summary.withoutSynCounts(), path), syns, pass.source());
  }

  /** Most captures are in the order of time; others are read again for the flows that are not. */
  private TrafficSummary withAllGaps(TrafficSummary summary, Path path) throws IOException {
    List<UnsortedFlow> flows = summary.unsortedFlows();
    if (flows.isEmpty()) {
      return summary;
    }
    limits.requireSortedTimes(flows.stream().mapToLong(UnsortedFlow::timedPackets).sum());
    List<Map<UnsortedFlow, Gaps>> found =
        CapturePass.of(path, nextRings(), rings -> flink.count(rings, () -> new TimeSorter(flows)))
            .answer();
    Map<UnsortedFlow, Gaps> gaps = new HashMap<>();
    found.forEach(gaps::putAll);
    return summary.withGapsByTime(gaps);
  }

  private RingDirectory nextRings() {
    return new RingDirectory(folder.resolve("pass-" + passes.getAndIncrement()));
  }

  private static void requireAll(TrafficSummary summary, long offered) {
    if (summary.lost() > 0 || summary.packets() != offered) {
      throw new InspectException(
          "the job does not account for every packet: offered="
              + offered
              + " counted="
              + summary.packets()
              + " lost="
              + summary.lost());
    }
  }
}
