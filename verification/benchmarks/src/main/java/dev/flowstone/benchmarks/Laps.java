// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

/**
 * Has the rings of a reader begin each lap together, however many packets each holds: else the
 * smaller ones would run away in time, lap by lap, and operators would keep what is open for all
 * the time between. One thread.
 */
final class Laps {
  private int rings;
  private int ended;
  private long firstNs = Long.MAX_VALUE;
  private long latestNs = Long.MIN_VALUE;
  private long lap;
  private long startNs;

  /** Of a ring that takes part from now on. */
  void join() {
    rings++;
  }

  /** A ring has come to the end of the lap. */
  void ended(long ringFirstNs, long ringLatestNs) {
    firstNs = Math.min(firstNs, ringFirstNs);
    latestNs = Math.max(latestNs, ringLatestNs);
    ended++;
    if (ended == rings) {
      ended = 0;
      lap++;
      startNs += latestNs - firstNs + 1;
    }
  }

  long lap() {
    return lap;
  }

  /** How much later the lap's packets are than those of the first. */
  long startNs() {
    return startNs;
  }
}
