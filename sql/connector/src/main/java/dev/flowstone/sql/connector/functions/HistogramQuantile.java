// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.functions;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.apache.flink.table.functions.ScalarFunction;

/**
 * {@code HISTOGRAM_QUANTILE(histogram, 0.99, overflow, greatest)}: what so large a part of all
 * values is not above, as results have their own percentiles; the greatest value where it is one of
 * those above the highest, which the histogram is without. {@code HISTOGRAM_QUANTILE(histogram,
 * 0.99)}: of what is in it.
 */
public final class HistogramQuantile extends ScalarFunction {
  private static final long serialVersionUID = 1L;
  private static final double PERCENT = 100;

  public Long eval(String histogram, Double part) {
    return eval(histogram, part, 0L, Long.MAX_VALUE);
  }

  /** NULL of no values. */
  public Long eval(String histogram, Double part, Long overflow, Long greatest) {
    if (histogram == null || part == null || overflow == null || greatest == null) {
      return null;
    }
    if (!(part >= 0 && part <= 1)) {
      throw new IllegalArgumentException("a quantile is from 0 to 1: " + part);
    }
    Histogram read = HistogramText.read(histogram);
    long count = read.getTotalCount() + overflow;
    return count == 0 ? null : valueAt(read, wanted(part, count), greatest);
  }

  /** How many values there are up to a quantile, rounded as HdrHistogram does. */
  private static long wanted(double part, long count) {
    double below = Math.nextAfter(part * PERCENT, Double.NEGATIVE_INFINITY);
    return Math.max(1, (long) Math.ceil(below * count / PERCENT));
  }

  private static long valueAt(Histogram histogram, long wanted, long greatest) {
    for (HistogramIterationValue value : histogram.recordedValues()) {
      if (value.getTotalCountToThisValue() >= wanted) {
        return Math.min(greatest, value.getValueIteratedTo());
      }
    }
    return greatest;
  }
}
