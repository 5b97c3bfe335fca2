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

  BlockWait(int minimumRecords, long maximumNs) {
    this.minimumRecords = minimumRecords;
    this.maximumNs = maximumNs;
  }

  /** Whether the ring should be left alone for now; so many of its slots wait to be read. */
  boolean isWorthWaiting(long backlogSlots, long slotCount, long nowNs) {
    long enough = Math.min(minimumRecords, slotCount / LARGEST_SHARE);
    if (backlogSlots == 0 || backlogSlots >= enough) {
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
    return false;
  }

  boolean isOn() {
    return minimumRecords > 1;
  }
}
