// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * Inter-arrival times of a rule in one interval, by powers of ten.
 *
 * @param end of the interval
 * @param counts of each decade from 1 ns on
 * @param overflow longer than the rule counts
 */
record GapHistogram(String rule, Instant end, List<Long> counts, long overflow) {
  private static final List<String> DECADES =
      List.of(
          "1 ns", "10 ns", "100 ns", "1 us", "10 us", "100 us", "1 ms", "10 ms", "100 ms", "1 s",
          "10 s");

  private static final String OVERFLOW = "longer";

  /** Empty: it is one of packet sizes. */
  static Optional<GapHistogram> of(JsonNode result) {
    if (!result.required("measure").asText().equals("inter_arrival")) {
      return Optional.empty();
    }
    return Optional.of(
        new GapHistogram(
            result.required("rule").asText(),
            Instant.EPOCH.plusNanos(result.required("end_ns").asLong()),
            byDecade(decoded(result.required("histogram").asText())),
            result.required("overflow").asLong()));
  }

  private static Histogram decoded(String base64) {
    try {
      return Histogram.decodeFromCompressedByteBuffer(
          ByteBuffer.wrap(Base64.getDecoder().decode(base64)), 0);
    } catch (DataFormatException e) {
      throw new IllegalArgumentException("a result holds no histogram: " + base64, e);
    }
  }

  private static List<Long> byDecade(Histogram histogram) {
    long[] counts = new long[DECADES.size()];
    for (HistogramIterationValue value : histogram.recordedValues()) {
      counts[decadeOf(value.getValueIteratedTo())] += value.getCountAddedInThisIterationStep();
    }
    return Arrays.stream(counts).boxed().toList();
  }

  private static int decadeOf(long ns) {
    return Math.min((int) Math.log10((double) Math.max(1, ns)), DECADES.size() - 1);
  }

  /** The newer one; of one interval the larger one. */
  boolean isRatherShownThan(GapHistogram other) {
    return end.equals(other.end) ? count() > other.count() : end.isAfter(other.end);
  }

  long count() {
    return overflow + counts.stream().mapToLong(Long::longValue).sum();
  }

  /** What it is of, and when. */
  String title() {
    return String.format(
        Locale.ROOT,
        "gaps of %s at %s: %s",
        rule,
        AlertNews.CLOCK.format(end),
        TableLayout.number(count()));
  }

  /**
   * A line for each decade from the first to the last with any, its bar as long as its share. Where
   * there are too many, the smaller of both ends goes first.
   */
  List<String> lines(int columns, int rows) {
    int first = 0;
    int last = counts.size() - 1;
    while (first <= last
        && (counts.get(first) == 0 || counts.get(last) == 0 || last - first >= rows)) {
      if (counts.get(first) <= counts.get(last)) {
        first++;
      } else {
        last--;
      }
    }
    List<String> lines = new ArrayList<>();
    for (int decade = first; decade <= last; decade++) {
      lines.add(line(DECADES.get(decade), counts.get(decade), columns));
    }
    if (overflow > 0 && lines.size() < rows) {
      lines.add(line(OVERFLOW, overflow, columns));
    }
    return lines;
  }

  private String line(String from, long of, int columns) {
    double share = (double) of / count();
    String text = String.format(Locale.ROOT, "%6s %5.1f%% ", from, 100 * share);
    int cells = (int) Math.round(share * Math.max(0, columns - text.length()));
    // What there is shows.
    return (text + "#".repeat(of > 0 ? Math.max(1, cells) : 0)).stripTrailing();
  }
}
