// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import java.util.Arrays;

/** What is counted of a flow, packet by packet in the order of the wire. */
final class FlowFigures {
  /** Most flows are short: room for so many times at first. */
  private static final int FIRST_TIMES = 2;

  private long packets;
  private long bytes;
  private boolean firstTimed;
  private boolean lastTimed;
  private long firstNs;
  private long lastNs;
  private long gapCount;
  private long negativeGaps;
  private long minGapNs = Long.MAX_VALUE;
  private long maxGapNs = Long.MIN_VALUE;
  private long[] timesNs = new long[FIRST_TIMES];
  private int timeCount;

  FlowFigures() {}

  /** A copy that goes its own way. */
  FlowFigures(FlowFigures other) {
    packets = other.packets;
    bytes = other.bytes;
    firstTimed = other.firstTimed;
    lastTimed = other.lastTimed;
    firstNs = other.firstNs;
    lastNs = other.lastNs;
    gapCount = other.gapCount;
    negativeGaps = other.negativeGaps;
    minGapNs = other.minGapNs;
    maxGapNs = other.maxGapNs;
    timesNs = other.timesNs.clone();
    timeCount = other.timeCount;
  }

  /** Adds a packet; one whose time is not known ({@code timed} false) has no gap on either side. */
  void add(int frameLength, long timeNs, boolean timed) {
    if (packets == 0) {
      firstTimed = timed;
      firstNs = timeNs;
    } else if (timed && lastTimed) {
      addGap(timeNs - lastNs);
    }
    packets++;
    bytes += frameLength;
    lastTimed = timed;
    lastNs = timeNs;
    if (timed) {
      keep(timeNs);
    }
  }

  private void addGap(long gapNs) {
    gapCount++;
    minGapNs = Math.min(minGapNs, gapNs);
    maxGapNs = Math.max(maxGapNs, gapNs);
    if (gapNs < 0) {
      negativeGaps++;
    }
  }

  private void keep(long timeNs) {
    if (timeCount == timesNs.length) {
      timesNs = Arrays.copyOf(timesNs, timesNs.length * 2);
    }
    timesNs[timeCount++] = timeNs;
  }

  long packets() {
    return packets;
  }

  long bytes() {
    return bytes;
  }

  long negativeGaps() {
    return negativeGaps;
  }

  /** Time of the first packet in file order; null if it is not known. */
  Long firstNs() {
    return firstTimed ? Long.valueOf(firstNs) : null;
  }

  /** Time of the last packet in file order; null if it is not known. */
  Long lastNs() {
    return lastTimed ? Long.valueOf(lastNs) : null;
  }

  /** In file order. */
  Gaps gaps() {
    return gapCount == 0 ? Gaps.NONE : new Gaps(gapCount, minGapNs, maxGapNs);
  }

  /** With the known times put in order first. */
  Gaps gapsByTime() {
    long[] sorted = Arrays.copyOf(timesNs, timeCount);
    Arrays.sort(sorted);
    return Gaps.ofSorted(sorted, timeCount);
  }
}
