// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.function;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lengths of time as rules write them: a whole number and its unit, such as {@code 250us}. */
public final class Lengths {
  private static final Pattern LENGTH = Pattern.compile("(\\d{1,15})(ns|us|ms|s|m|h|d)");

  /** The longest first. */
  private static final Map<String, Duration> UNITS = new LinkedHashMap<>();

  static {
    UNITS.put("d", Duration.ofDays(1));
    UNITS.put("h", Duration.ofHours(1));
    UNITS.put("m", Duration.ofMinutes(1));
    UNITS.put("s", Duration.ofSeconds(1));
    UNITS.put("ms", Duration.ofMillis(1));
    UNITS.put("us", Duration.ofNanos(1000));
    UNITS.put("ns", Duration.ofNanos(1));
  }

  private Lengths() {}

  public static Duration parse(String text) {
    Matcher length = LENGTH.matcher(text);
    if (!length.matches()) {
      throw new IllegalArgumentException(
          "not a length of time, a whole number with its unit (ns, us, ms, s, m, h, d) such as"
              + " 250us: "
              + text);
    }
    Duration unit = UNITS.get(length.group(2));
    long count = Long.parseLong(length.group(1));
    if (count > Span.MOST.dividedBy(unit)) {
      throw new IllegalArgumentException("at most 7d: " + text);
    }
    return unit.multipliedBy(count);
  }

  /** In the longest unit of which it is a whole number. */
  public static String text(Duration length) {
    return length.isZero() ? "0s" : inUnits(length);
  }

  private static String inUnits(Duration length) {
    return UNITS.entrySet().stream()
        .filter(unit -> isWhole(length, unit.getValue()))
        .map(unit -> length.dividedBy(unit.getValue()) + unit.getKey())
        .findFirst()
        .orElseGet(length::toString);
  }

  private static boolean isWhole(Duration length, Duration unit) {
    return unit.multipliedBy(length.dividedBy(unit)).equals(length);
  }
}
