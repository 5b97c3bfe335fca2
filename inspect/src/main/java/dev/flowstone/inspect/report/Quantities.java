// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.report;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Figures as people read them. */
final class Quantities {
  private static final long NS_PER_SECOND = 1_000_000_000;
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSSSSS", Locale.ROOT)
          .withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter SECOND =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

  /** More is said in days. */
  private static final double MOST_SECONDS = 1e6;

  private static final double SECONDS_PER_DAY = 86_400;

  private Quantities() {}

  static String count(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  static String share(long part, long whole) {
    return whole == 0 ? "-" : String.format(Locale.ROOT, "%.1f%%", 100.0 * part / whole);
  }

  /** UTC, to the nanosecond. */
  static String time(long timeNs) {
    return TIME.format(instant(timeNs));
  }

  /** UTC, to the second. */
  static String second(long timeNs) {
    return SECOND.format(instant(timeNs));
  }

  private static Instant instant(long timeNs) {
    return Instant.ofEpochSecond(
        Math.floorDiv(timeNs, NS_PER_SECOND), Math.floorMod(timeNs, NS_PER_SECOND));
  }

  /** A duration in the unit that gives it few digits; a dash for none. */
  static String duration(Long durationNs) {
    if (durationNs == null) {
      return "-";
    }
    double magnitude = Math.abs((double) durationNs);
    if (magnitude < 1e3) {
      return durationNs + " ns";
    }
    if (magnitude < 1e6) {
      return String.format(Locale.ROOT, "%.3f us", durationNs / 1e3);
    }
    if (magnitude < 1e9) {
      return String.format(Locale.ROOT, "%.3f ms", durationNs / 1e6);
    }
    if (magnitude < MOST_SECONDS * 1e9) {
      return String.format(Locale.ROOT, "%,.3f s", durationNs / 1e9);
    }
    return String.format(Locale.ROOT, "%,.1f days", durationNs / (SECONDS_PER_DAY * 1e9));
  }
}
