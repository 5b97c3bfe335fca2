// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations in options and rules: a number and its unit, such as 250us, 1.5 s, 15min, 7d. */
public final class DurationText {
  private static final Pattern DURATION =
      Pattern.compile("(\\d{1,15}(?:\\.\\d{1,9})?) ?(ns|us|ms|s|min|m|h|d)");

  /** The longest first. */
  private static final Map<String, Duration> UNITS = new LinkedHashMap<>();

  static {
    UNITS.put("d", Duration.ofDays(1));
    UNITS.put("h", Duration.ofHours(1));
    UNITS.put("min", Duration.ofMinutes(1));
    UNITS.put("m", Duration.ofMinutes(1));
    UNITS.put("s", Duration.ofSeconds(1));
    UNITS.put("ms", Duration.ofMillis(1));
    UNITS.put("us", Duration.ofNanos(1000));
    UNITS.put("ns", Duration.ofNanos(1));
  }

  private DurationText() {}

  /**
   * Parses a duration.
   *
   * @throws IllegalArgumentException if the number or the unit is missing, or the value is not a
   *     whole number of nanoseconds that fits 64 bits
   */
  public static Duration parse(String text) {
    Matcher duration = DURATION.matcher(text.toLowerCase(Locale.ROOT));
    if (!duration.matches()) {
      throw new IllegalArgumentException(
          "expected a number with a unit (ns, us, ms, s, min, h, d) such as 250us or 15min, got: "
              + text);
    }
    BigDecimal unitNs = BigDecimal.valueOf(UNITS.get(duration.group(2)).toNanos());
    try {
      return Duration.ofNanos(new BigDecimal(duration.group(1)).multiply(unitNs).longValueExact());
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "expected a whole number of nanoseconds that fits 64 bits, got: " + text, e);
    }
  }

  /**
   * Returns the text that {@link #parse} accepts, in the longest unit that gives a whole number.
   */
  public static String of(Duration duration) {
    return duration.isZero()
        ? "0s"
        : UNITS.entrySet().stream()
            .filter(unit -> isWhole(duration, unit.getValue()))
            .map(unit -> duration.dividedBy(unit.getValue()) + unit.getKey())
            .findFirst()
            .orElseThrow();
  }

  private static boolean isWhole(Duration duration, Duration unit) {
    return unit.multipliedBy(duration.dividedBy(unit)).equals(duration);
  }
}
