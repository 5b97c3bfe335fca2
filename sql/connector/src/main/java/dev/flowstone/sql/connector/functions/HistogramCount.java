// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.functions;

import org.apache.flink.table.functions.ScalarFunction;

/** {@code HISTOGRAM_COUNT(histogram)}: how many values are in it. */
public final class HistogramCount extends ScalarFunction {
  private static final long serialVersionUID = 1L;

  public Long eval(String histogram) {
    return histogram == null ? null : HistogramText.read(histogram).getTotalCount();
  }
}
