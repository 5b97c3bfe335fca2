// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

/**
 * Half of the time, for what may wait. What may not wait is taken from it as well, but makes no
 * debt that lasts. One thread.
 */
final class TimeShare {
  /** What was not taken before may be taken at once, up to half of this. */
  private static final long MOST_NS = 100_000_000;

  /** When all that was taken will have been half of the time. */
  private long evenNs;

  TimeShare(long nowNs) {
    evenNs = nowNs;
  }

  boolean isLeft(long nowNs) {
    return nowNs >= evenNs;
  }

  /** Something took from one time to the other. */
  void take(long fromNs, long toNs) {
    evenNs = Math.max(evenNs, fromNs - MOST_NS) + 2 * (toNs - fromNs);
    evenNs = Math.min(evenNs, toNs + MOST_NS);
  }
}
