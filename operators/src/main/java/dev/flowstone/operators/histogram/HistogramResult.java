// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.histogram;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.operators.FlowKey;
import dev.flowstone.results.Result;
import dev.flowstone.results.ResultFields;
import dev.flowstone.results.RuleTag;
import dev.flowstone.rules.function.Histogram.Measure;
import java.io.Serializable;
import java.util.Locale;

/**
 * The distribution of one measure in one interval.
 *
 * @param endNs of the interval, which is not in it
 * @param count values, those outside of the range among them
 * @param histogram those within the range, as HdrHistogram compresses them, in base64
 */
public record HistogramResult(
    RuleTag rule,
    HistogramSubject subject,
    long beginNs,
    long endNs,
    long count,
    HistogramSums sums,
    Percentiles percentiles,
    PacketCounts packets,
    String histogram)
    implements Result, Serializable {
  public static final String KIND = "histogram";

  /** Values that so many percent do not exceed. */
  public record Percentiles(long p50, long p90, long p99, long p999) implements Serializable {}

  @Override
  public String kind() {
    return KIND;
  }

  @Override
  public long timeNs() {
    return endNs;
  }

  public double mean() {
    return sums.mean(count);
  }

  @Override
  public void describe(ResultFields fields) {
    fields.key("measure", lowerCase(subject.measure()));
    fields.key("per", lowerCase(subject.per()));
    describeSubject(fields);
    fields.text("unit", subject.measure() == Measure.INTER_ARRIVAL ? "ns" : "bytes");
    fields.number("begin_ns", beginNs);
    fields.number("end_ns", endNs);
    fields.number("count", count);
    if (count > 0) {
      fields.number("min", sums.least());
      fields.number("mean", mean());
      fields.number("p50", percentiles.p50());
      fields.number("p90", percentiles.p90());
      fields.number("p99", percentiles.p99());
      fields.number("p99_9", percentiles.p999());
      fields.number("max", sums.greatest());
    }
    fields.number("underflow", sums.underflow());
    fields.number("overflow", sums.overflow());
    fields.number("packets", packets.packets());
    if (subject.measure() == Measure.INTER_ARRIVAL) {
      fields.number("first", packets.first());
      fields.number("earlier", packets.earlier());
      fields.number("clock_steps", packets.clockSteps());
      fields.number("untimed", packets.untimed());
    }
    fields.number("late", packets.late());
    fields.text("histogram", histogram);
  }

  private void describeSubject(ResultFields fields) {
    FlowTuple flow = subject.flow();
    if (flow != null) {
      FlowKey.describe(flow, fields);
    } else if (!subject.prefix().isEmpty()) {
      fields.key("prefix", subject.prefix());
    }
  }

  private static String lowerCase(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
