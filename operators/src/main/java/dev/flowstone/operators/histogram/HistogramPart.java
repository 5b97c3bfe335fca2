// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import dev.flowstone.results.RuleTag;
import dev.flowstone.rules.function.Histogram.Measure;
import java.io.Serializable;

/**
 * What one subtask counted of an interval; parts with the same key add up, in any order.
 *
 * @param isWhole of a flow: there is no other
 * @param endNs of the interval, UTC nanoseconds
 * @param counts as {@link CountsCode} has them
 */
@SuppressWarnings("ArrayRecordComponent") // Parts are not compared.
public record HistogramPart(
    boolean isWhole,
    RuleTag rule,
    HistogramSubject subject,
    long beginNs,
    long endNs,
    PacketCounts packets,
    HistogramSums sums,
    byte[] counts)
    implements Serializable {
  private static final long NS_PER_MS = 1_000_000;

  /** Half of all flows are one packet: nothing is to be said of the times between them. */
  boolean hasValues() {
    return subject.flow() == null
        || subject.measure() != Measure.INTER_ARRIVAL
        || packets.hasMoreThanFirst();
  }

  String key() {
    return endNs + " " + subject.key();
  }

  /** Returns the millisecond whose watermark says that all before the end has come. */
  long lastMs() {
    return Math.ceilDiv(endNs, NS_PER_MS) - 1;
  }

  long lengthNs() {
    return endNs - beginNs;
  }

  /** Returns this part moved by a number of intervals, with all packets counted as late. */
  HistogramPart late(long intervals) {
    long laterNs = intervals * lengthNs();
    return new HistogramPart(
        isWhole,
        rule,
        subject,
        beginNs + laterNs,
        endNs + laterNs,
        packets.allLate(),
        sums,
        counts);
  }

  HistogramPart plus(HistogramPart other) {
    return new HistogramPart(
        false,
        rule,
        subject,
        beginNs,
        endNs,
        packets.plus(other.packets),
        sums.plus(other.sums),
        CountsCode.sum(counts, other.counts));
  }
}
