// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect.traffic;

import java.io.Serializable;

/** The earliest and the latest of some times; of none, when the earliest is after the latest. */
public record TimeRange(long earliestNs, long latestNs) implements Serializable {
  static final TimeRange NONE = new TimeRange(Long.MAX_VALUE, Long.MIN_VALUE);

  public boolean isNone() {
    return earliestNs > latestNs;
  }

  TimeRange and(TimeRange other) {
    return new TimeRange(
        Math.min(earliestNs, other.earliestNs), Math.max(latestNs, other.latestNs));
  }
}
