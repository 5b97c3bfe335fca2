// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.functions;

import org.apache.flink.table.functions.ScalarFunction;

/**
 * {@code HISTOGRAM_COUNT(histogram, overflow)}: how many values there are, with those above its
 * highest, which it is without; {@code HISTOGRAM_COUNT(histogram)}: how many are in it.
 */
public final class HistogramCount extends ScalarFunction {
  private static final long serialVersionUID = 1L;

  public Long eval(String histogram) {
    return eval(histogram, 0L);
  }

  public Long eval(String histogram, Long overflow) {
    return histogram == null || overflow == null
        ? null
        : HistogramText.read(histogram).getTotalCount() + overflow;
  }
}
