// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

/** Lets something happen at once, then no more often than once in a while. */
final class Interval {
  private final long lengthNs;
  private boolean begun;
  private long beganNs;

  Interval(long lengthNs) {
    this.lengthNs = lengthNs;
  }

  /** Whether it may happen now; if so, the interval begins anew. */
  boolean isOver(long nowNs) {
    if (begun && nowNs - beganNs < lengthNs) {
      return false;
    }
    begun = true;
    beganNs = nowNs;
    return true;
  }

  /** It may happen at once. */
  void end() {
    begun = false;
  }
}
