// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.traffic;

/** The earliest and the latest of some times; of none, when the earliest is after the latest. */
public record TimeRange(long earliestNs, long latestNs) {
  static final TimeRange NONE = new TimeRange(Long.MAX_VALUE, Long.MIN_VALUE);

  public boolean isNone() {
    return earliestNs > latestNs;
  }
}
