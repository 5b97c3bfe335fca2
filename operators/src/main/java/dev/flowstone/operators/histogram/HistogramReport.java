// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import dev.flowstone.operators.histogram.HistogramResult.Percentiles;
import java.util.Arrays;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;

/** Makes results of parts to which nothing is added any more. */
final class HistogramReport extends RichMapFunction<HistogramPart, HistogramResult> {
  private static final long serialVersionUID = 1L;

  private transient CompressedHistogram compressed;
  private transient long[] counts;

  @Override
  public void open(OpenContext context) {
    compressed = new CompressedHistogram();
    counts = new long[0];
  }

  @Override
  public HistogramResult map(HistogramPart part) {
    HdrLayout layout = part.subject().layout();
    long inRange = count(layout, part.counts());
    long count = inRange + part.sums().overflow();
    return new HistogramResult(
        part.rule(),
        part.subject(),
        part.beginNs(),
        part.endNs(),
        count,
        part.sums(),
        new Percentiles(
            percentile(layout, part.sums(), count, 50),
            percentile(layout, part.sums(), count, 90),
            percentile(layout, part.sums(), count, 99),
            percentile(layout, part.sums(), count, 99.9)),
        part.packets(),
        compressed.base64(part.subject(), part.counts()));
  }

  private long count(HdrLayout layout, byte[] encoded) {
    if (counts.length < layout.length) {
      counts = new long[layout.length];
    }
    Arrays.fill(counts, 0);
    CountsCode.addTo(counts, encoded);
    return Arrays.stream(counts).sum();
  }

  /**
   * The greatest value of the count in which the percentile lies, as HdrHistogram has it, but never
   * beyond the greatest value of all; that itself where it lies above the range.
   */
  private long percentile(HdrLayout layout, HistogramSums sums, long count, double percent) {
    double below = Math.nextAfter(percent, Double.NEGATIVE_INFINITY);
    long wanted = Math.max(1, (long) Math.ceil(below * count / 100));
    long seen = 0;
    for (int i = 0; i < layout.length; i++) {
      seen += counts[i];
      if (seen >= wanted) {
        return Math.min(sums.greatest(), layout.greatestAt(i));
      }
    }
    return sums.greatest();
  }
}
