// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import java.io.Serializable;

/**
 * What is known exactly of the values of a histogram. Of no value the least is 2^63 - 1 and the
 * greatest 0.
 *
 * @param sumHigh how many times 2^62 the sum is, beside its low part
 * @param underflow values below the range, which the counts have as well
 * @param overflow values above the range, which the counts do not have
 */
public record HistogramSums(
    long least, long greatest, long sumHigh, long sumLow, long underflow, long overflow)
    implements Serializable {
  private static final int LOW_BITS = 62;
  private static final long LOW = (1L << LOW_BITS) - 1;

  static final HistogramSums NONE = new HistogramSums(Long.MAX_VALUE, 0, 0, 0, 0, 0);

  /** Takes a low part of up to 2^63 - 1. */
  public HistogramSums {
    sumHigh += sumLow >>> LOW_BITS;
    sumLow &= LOW;
  }

  HistogramSums plus(HistogramSums other) {
    return new HistogramSums(
        Math.min(least, other.least),
        Math.max(greatest, other.greatest),
        sumHigh + other.sumHigh,
        sumLow + other.sumLow,
        underflow + other.underflow,
        overflow + other.overflow);
  }

  double mean(long count) {
    return (sumHigh * 0x1p62 + sumLow) / count;
  }
}
