// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.replay;

/**
 * Moves the times of each lap of a replay behind those of the lap before. Learns the earliest and
 * latest time during the first lap; laps are one mean gap apart, as if the traffic went on.
 */
final class LapClock {
  private long earliestNs = Long.MAX_VALUE;
  private long latestNs = Long.MIN_VALUE;
  private long timedPackets;
  private long shiftNs;
  private long lapNs;

  /** Called for every timed packet of the first lap. */
  void learn(long timeNs) {
    earliestNs = Math.min(earliestNs, timeNs);
    latestNs = Math.max(latestNs, timeNs);
    timedPackets++;
  }

  void nextLap() {
    if (lapNs == 0) {
      long spanNs = timedPackets == 0 ? 0 : latestNs - earliestNs;
      lapNs = spanNs + Math.max(1, spanNs / Math.max(1, timedPackets - 1));
    }
    shiftNs += lapNs;
  }

  long shiftNs() {
    return shiftNs;
  }
}
