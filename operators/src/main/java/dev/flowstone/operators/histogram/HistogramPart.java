// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import dev.flowstone.results.RuleTag;
import dev.flowstone.rules.function.Histogram.Per;
import java.io.Serializable;

/**
 * What one subtask counted of an interval; parts with the same key add up, in any order. Of a flow
 * there is one part alone.
 *
 * @param endNs of the interval, UTC nanoseconds
 * @param counts as {@link CountsCode} has them
 */
@SuppressWarnings("ArrayRecordComponent") // Parts are not compared.
public record HistogramPart(
    RuleTag rule,
    HistogramSubject subject,
    long beginNs,
    long endNs,
    PacketCounts packets,
    HistogramSums sums,
    byte[] counts)
    implements Serializable {

  boolean isWhole() {
    return subject.per() == Per.FLOW;
  }

  String key() {
    return endNs + " " + subject.key();
  }

  HistogramPart plus(HistogramPart other) {
    long[] sum = new long[subject.layout().length];
    CountsCode.addTo(sum, counts);
    CountsCode.addTo(sum, other.counts);
    return new HistogramPart(
        rule,
        subject,
        beginNs,
        endNs,
        packets.plus(other.packets),
        sums.plus(other.sums),
        new CountsCode().encode(0, sum.length, i -> sum[i]));
  }
}
