// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import dev.flowstone.operators.histogram.HistogramResult.Percentiles;
import java.util.Arrays;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;

/** Makes results of parts to which nothing is added any more. */
final class HistogramReport extends RichMapFunction<HistogramPart, HistogramResult> {
  private static final long serialVersionUID = 1L;

  private static final double[] PERCENTS = {50, 90, 99, 99.9};

  private transient CompressedHistogram compressed;

  /** Of all values; zeros between two reports. */
  private transient long[] counts;

  private final long[] percentiles = new long[PERCENTS.length];

  @Override
  public void open(OpenContext context) {
    compressed = new CompressedHistogram();
    counts = new long[0];
  }

  @Override
  public HistogramResult map(HistogramPart part) {
    HdrLayout layout = part.subject().layout();
    long count = count(layout, part);
    return new HistogramResult(
        part.rule(),
        part.subject(),
        part.beginNs(),
        part.endNs(),
        count,
        part.sums(),
        new Percentiles(percentiles[0], percentiles[1], percentiles[2], percentiles[3]),
        part.packets(),
        compressed.base64(part.subject(), part.counts()));
  }

  /** Of all values, those above the range too; works out percentiles on the way. */
  private long count(HdrLayout layout, HistogramPart part) {
    if (counts.length < layout.length) {
      counts = new long[layout.length];
    }
    int end = CountsCode.addTo(counts, part.counts());
    long count = part.sums().overflow();
    for (int i = 0; i < end; i++) {
      count += counts[i];
    }
    percentiles(layout, part.sums(), count, end);
    Arrays.fill(counts, 0, end, 0);
    return count;
  }

  /**
   * Each is the greatest value of the count in which the percentile lies, as HdrHistogram has it,
   * but never beyond the greatest value of all; that itself where it lies above the range.
   */
  private void percentiles(HdrLayout layout, HistogramSums sums, long count, int end) {
    Arrays.fill(percentiles, sums.greatest());
    int next = 0;
    long wanted = wanted(count, next);
    long seen = 0;
    for (int i = 0; i < end; i++) {
      seen += counts[i];
      while (seen >= wanted) {
        percentiles[next++] = Math.min(sums.greatest(), layout.greatestAt(i));
        wanted = next < PERCENTS.length ? wanted(count, next) : Long.MAX_VALUE;
      }
    }
  }

  /** How many values there are up to a percentile. */
  private static long wanted(long count, int percentile) {
    double below = Math.nextAfter(PERCENTS[percentile], Double.NEGATIVE_INFINITY);
    return Math.max(1, (long) Math.ceil(below * count / 100));
  }
}
