// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.flow;

/**
 * What is counted of a flow, packet by packet in the order of the file. Times are not kept: a flow
 * whose times must be sorted is read again, see {@link FlowTimes}.
 */
final class FlowFigures {
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
  private long timedPackets;

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
    timedPackets = other.timedPackets;
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
      timedPackets++;
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

  /** Packets whose time is known. */
  long timedPackets() {
    return timedPackets;
  }

  /** Whether sorting the known times would change no gap. */
  boolean isInOrderOfTime() {
    return timedPackets < 2 || (negativeGaps == 0 && timedPackets == packets);
  }
}
