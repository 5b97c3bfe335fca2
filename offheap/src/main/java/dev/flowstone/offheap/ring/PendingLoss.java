// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

/** Losses that the next LOSS record will tell of. One thread. */
final class PendingLoss {
  private long packets;
  private long beforeTap;
  private long firstNs;
  private long lastNs;

  boolean isNone() {
    return packets == 0 && beforeTap == 0;
  }

  void dropped(long timeNs) {
    if (packets == 0) {
      firstNs = timeNs;
    }
    droppedMore(1, timeNs);
  }

  /** Further packets, after a call of {@link #dropped}. */
  void droppedMore(long more, long latestNs) {
    packets += more;
    lastNs = latestNs;
  }

  /** Dropped packets are dated rather than the news of what was lost earlier. */
  void beforeTap(long lost, long timeNs) {
    if (isNone()) {
      firstNs = timeNs;
    }
    if (packets == 0) {
      lastNs = timeNs;
    }
    beforeTap += lost;
  }

  long packets() {
    return packets;
  }

  long beforeTap() {
    return beforeTap;
  }

  long firstNs() {
    return firstNs;
  }

  long lastNs() {
    return lastNs;
  }

  void told() {
    packets = 0;
    beforeTap = 0;
  }
}
