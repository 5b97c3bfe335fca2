// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

/** Lets packets gather for a larger block, for a limited time. */
final class BlockWait {
  /** A ring of which more than this part waits is read at once, however small it is. */
  private static final long LARGEST_SHARE = 4;

  private final int minimumRecords;
  private final long maximumNs;

  private boolean waiting;
  private long sinceNs;

  /** What was there when a wait was over has waited long enough, in however many runs it comes. */
  private long readyUntil;

  BlockWait(int minimumRecords, long maximumNs) {
    this.minimumRecords = minimumRecords;
    this.maximumNs = maximumNs;
  }

  /** Another ring is read from now on. */
  void begin() {
    waiting = false;
    readyUntil = 0;
  }

  /** Whether the ring should be left alone for now; so many of its slots wait to be read. */
  boolean isWorthWaiting(long position, long backlogSlots, long slotCount, long nowNs) {
    long enough = Math.min(minimumRecords, slotCount / LARGEST_SHARE);
    if (backlogSlots == 0 || backlogSlots >= enough || position < readyUntil) {
      waiting = false;
      return false;
    }
    if (!waiting) {
      waiting = true;
      sinceNs = nowNs;
    }
    if (nowNs - sinceNs < maximumNs) {
      return true;
    }
    waiting = false;
    readyUntil = position + backlogSlots;
    return false;
  }

  boolean isOn() {
    return minimumRecords > 1;
  }
}
