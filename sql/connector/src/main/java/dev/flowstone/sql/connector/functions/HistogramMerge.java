// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.functions;

import org.HdrHistogram.Histogram;
import org.apache.flink.table.functions.AggregateFunction;

/** {@code HISTOGRAM_MERGE(histogram)}: one of all values of several; NULL of none. */
public final class HistogramMerge extends AggregateFunction<String, HistogramMerge.Merged> {
  private static final long serialVersionUID = 1L;

  /** As text between two rows: Flink keeps it in state, and must be able to read it later. */
  public static final class Merged {
    /** Null: none. */
    public String histogram;
  }

  @Override
  public Merged createAccumulator() {
    return new Merged();
  }

  public void accumulate(Merged merged, String histogram) {
    if (histogram != null) {
      merged.histogram = merged.histogram == null ? histogram : add(merged.histogram, histogram);
    }
  }

  public void merge(Merged merged, Iterable<Merged> others) {
    others.forEach(other -> accumulate(merged, other.histogram));
  }

  /** With the digits of the finer one. */
  private static String add(String one, String other) {
    Histogram first = HistogramText.read(one);
    Histogram second = HistogramText.read(other);
    boolean isFirstFiner =
        first.getNumberOfSignificantValueDigits() >= second.getNumberOfSignificantValueDigits();
    Histogram finer = isFirstFiner ? first : second;
    finer.setAutoResize(true);
    finer.add(isFirstFiner ? second : first);
    return HistogramText.write(finer);
  }

  @Override
  public String getValue(Merged merged) {
    return merged.histogram;
  }
}
