// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * Inter-arrival times of a rule in one interval, by tenths of a power of ten. Results of the same
 * interval add up. One thread.
 */
final class GapColumn {
  /**
   * Of each power of ten, so that a step is the same length wherever it is on a logarithmic scale.
   */
  static final int STEPS = 10;

  /** From 1 ns to 100 s; what is longer is in the last. */
  static final int BINS = 11 * STEPS;

  private final String rule;
  private final long beginNs;
  private final long endNs;
  private final long[] counts = new long[BINS];
  private long overflow;
  private long greatest;

  GapColumn(String rule, long beginNs, long endNs) {
    this.rule = rule;
    this.beginNs = beginNs;
    this.endNs = endNs;
  }

  /**
   * @param base64 as HdrHistogram compresses it
   * @param moreThanItHolds longer ones, which are counted apart
   */
  void add(String base64, long moreThanItHolds, long max) {
    Histogram histogram = decoded(base64);
    for (HistogramIterationValue value : histogram.recordedValues()) {
      long at = value.getValueIteratedTo();
      spread(
          histogram.lowestEquivalentValue(at),
          histogram.nextNonEquivalentValue(at),
          value.getCountAddedInThisIterationStep());
    }
    overflow += moreThanItHolds;
    greatest = Math.max(greatest, max);
  }

  /**
   * What the histogram holds as one value may be any of a range, which is wider than a bin where
   * values are small.
   */
  private void spread(long from, long to, long count) {
    long untold = count;
    for (int bin = bin(from); bin < bin(to - 1); bin++) {
      double left = Math.max((double) from, begin(bin));
      long part = Math.round(untold * Math.clamp((begin(bin + 1) - left) / (to - left), 0, 1));
      counts[bin] += part;
      untold -= part;
    }
    counts[bin(to - 1)] += untold;
  }

  private static double begin(int bin) {
    return Math.pow(10, (double) bin / STEPS);
  }

  private static Histogram decoded(String base64) {
    try {
      return Histogram.decodeFromCompressedByteBuffer(
          ByteBuffer.wrap(Base64.getDecoder().decode(base64)), 0);
    } catch (DataFormatException e) {
      throw new IllegalArgumentException("a result holds no histogram: " + base64, e);
    }
  }

  static int bin(long ns) {
    return Math.min((int) (STEPS * Math.log10((double) Math.max(1, ns))), BINS - 1);
  }

  /**
   * @param bins number and count of each that has any, one after the other
   */
  record View(
      String rule,
      long beginMs,
      long endMs,
      long count,
      long overflow,
      long maxNs,
      List<Long> bins) {}

  View view() {
    List<Long> bins = new ArrayList<>();
    long count = overflow;
    for (int bin = 0; bin < BINS; bin++) {
      if (counts[bin] > 0) {
        bins.add((long) bin);
        bins.add(counts[bin]);
        count += counts[bin];
      }
    }
    return new View(rule, beginNs / 1_000_000, endNs / 1_000_000, count, overflow, greatest, bins);
  }
}
