// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect;

import dev.flowstone.inspect.count.InspectException;
import dev.flowstone.inspect.count.InspectLimits;
import dev.flowstone.inspect.flow.TimeSorter;
import dev.flowstone.inspect.flow.UnsortedFlow;
import dev.flowstone.inspect.report.Inspection;
import dev.flowstone.inspect.traffic.TrafficCounter;
import dev.flowstone.inspect.traffic.TrafficSummary;
import dev.flowstone.offheap.Reason;
import dev.flowstone.raw.SourceCounters;
import dev.flowstone.tap.replay.CaptureCheck;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * Answers for captures. Several threads may each have one in hand, but a large one is alone: the
 * limits are what the heap has room for, whatever the company.
 */
final class Inspector {
  /**
   * Bytes of captures in hand at the same time; a capture of more takes them all. So many bytes
   * hold less than two million packets, whose flows are far from the limits.
   */
  private static final int MAX_BYTES_IN_HAND = 64 << 20;

  private final InspectLimits limits;
  private final Semaphore bytesInHand = new Semaphore(MAX_BYTES_IN_HAND, true);

  Inspector(InspectLimits limits) {
    this.limits = limits;
  }

  Inspection inspect(String file) {
    try {
      Path path = Path.of(file);
      CaptureCheck.requireReadable(path);
      int bytes = Math.clamp(path.toFile().length(), 1, MAX_BYTES_IN_HAND);
      bytesInHand.acquireUninterruptibly(bytes);
      try {
        return answer(file, path);
      } finally {
        bytesInHand.release(bytes);
      }
    } catch (RuntimeException e) {
      return new Inspection.Failure(file, Reason.of(e));
    } catch (OutOfMemoryError e) {
      return new Inspection.Failure(file, InspectException.outOfMemory(e).getMessage());
    }
  }

  private Inspection.Answer answer(String file, Path path) {
    Inspection.Answer inFileOrder = count(file, path);
    return inFileOrder.with(withAllGaps(inFileOrder.summary(), path));
  }

  /** The counter is gone when times are sorted: there may not be room for both. */
  private Inspection.Answer count(String file, Path path) {
    TrafficCounter counter = new TrafficCounter(limits);
    SourceCounters source = CapturePass.over(path, counter);
    TrafficSummary summary = counter.summary();
    requireAll(summary.packets(), source.packets());
    return new Inspection.Answer(file, summary, source);
  }

  /** A second pass sorts the times of flows that are not in the order of time. */
  private TrafficSummary withAllGaps(TrafficSummary summary, Path path) {
    List<UnsortedFlow> flows = summary.unsortedFlows();
    if (flows.isEmpty()) {
      return summary;
    }
    limits.requireSortedTimes(flows.stream().mapToLong(UnsortedFlow::timedPackets).sum());
    TimeSorter sorter = new TimeSorter(flows);
    CapturePass.over(path, sorter);
    return summary.withGapsByTime(sorter.gaps());
  }

  private static void requireAll(long counted, long read) {
    if (counted != read) {
      throw new InspectException(
          "not every packet is accounted for: read=" + read + " counted=" + counted);
    }
  }
}
