// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.plan;

import java.util.Locale;

/** In what an amount is told; memory by 1,024, all else by 1,000. */
enum Unit {
  COUNT("", 1),
  CORES("cores", 1),
  SECONDS("s", 1),
  PACKETS("", 1000),
  PACKETS_PER_SECOND("/s", 1000),
  MEMORY("iB", 1024),
  BYTES("B", 1000),
  BYTES_PER_SECOND("B/s", 1000),
  BITS_PER_SECOND("bit/s", 1000);

  private static final double MINUTE = 60;
  private static final double HOUR = 60 * MINUTE;
  private static final double DAY = 24 * HOUR;
  private static final String PREFIXES = " kMGTPE";

  private final String text;
  private final int step;

  Unit(String text, int step) {
    this.text = text;
    this.step = step;
  }

  /** What goes into a key of JSON: a number in this unit. */
  String key() {
    return this == MEMORY ? "bytes" : name().toLowerCase(Locale.ROOT);
  }

  /** As people say it, with three digits that count. */
  String of(double value) {
    return switch (this) {
      case COUNT -> String.format(Locale.ROOT, "%,.0f", value);
      case CORES -> digits(value) + " " + text;
      case SECONDS -> time(value);
      default -> scaled(value);
    };
  }

  /** In the largest unit of which there are two. */
  private static String time(double seconds) {
    if (seconds < 1) {
      return digits(1_000 * seconds) + " ms";
    }
    if (seconds < 2 * MINUTE) {
      return digits(seconds) + " s";
    }
    if (seconds < 2 * HOUR) {
      return digits(seconds / MINUTE) + " min";
    }
    return seconds < 2 * DAY ? digits(seconds / HOUR) + " h" : digits(seconds / DAY) + " d";
  }

  private String scaled(double value) {
    int prefix = 0;
    double left = value;
    // 999.6 would be told as 1000.
    while (left >= step - 0.5 && prefix < PREFIXES.length() - 1) {
      left /= step;
      prefix++;
    }
    String letter = prefix == 0 ? "" : PREFIXES.substring(prefix, prefix + 1);
    String unit =
        this == MEMORY
            ? (prefix == 0 ? "B" : letter.toUpperCase(Locale.ROOT) + text)
            : letter + text;
    return digits(left) + (unit.isEmpty() ? "" : " " + unit);
  }

  /** Three digits that count, and no zeros behind a point. */
  static String digits(double value) {
    int decimals = value < 0.1 ? 4 : value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0;
    String text = String.format(Locale.ROOT, "%,." + decimals + "f", value);
    return decimals == 0 ? text : text.replaceFirst("\\.?0+$", "");
  }
}
