// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.functions;

import org.HdrHistogram.Histogram;
import org.apache.flink.table.functions.ScalarFunction;

/** {@code HISTOGRAM_QUANTILE(histogram, 0.99)}: what so large a part is not above. */
public final class HistogramQuantile extends ScalarFunction {
  private static final long serialVersionUID = 1L;
  private static final double PERCENT = 100;

  /** NULL of a histogram of nothing. */
  public Long eval(String histogram, Double part) {
    if (histogram == null || part == null) {
      return null;
    }
    if (!(part >= 0 && part <= 1)) {
      throw new IllegalArgumentException("a quantile is from 0 to 1: " + part);
    }
    Histogram read = HistogramText.read(histogram);
    return read.getTotalCount() == 0 ? null : read.getValueAtPercentile(part * PERCENT);
  }
}
