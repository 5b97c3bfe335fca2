// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

/** Lets packets gather for a larger block, for a limited time. */
final class BlockWait {
  private final int minimumRecords;
  private final long maximumNs;

  private boolean waiting;
  private long sinceNs;

  BlockWait(int minimumRecords, long maximumNs) {
    this.minimumRecords = minimumRecords;
    this.maximumNs = maximumNs;
  }

  /** Whether the ring should be left alone for now; it has that many slots to read. */
  boolean isWorthWaiting(long backlogSlots, long nowNs) {
    if (backlogSlots == 0 || backlogSlots >= minimumRecords) {
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
