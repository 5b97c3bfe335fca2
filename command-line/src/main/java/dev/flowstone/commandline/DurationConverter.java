// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.commandline;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads durations such as 500ms, 2s, 1.5 min, 7d, where no Flink reads them. */
public final class DurationConverter implements ITypeConverter<Duration> {
  private static final Pattern DURATION =
      Pattern.compile("(\\d{1,9}(?:\\.\\d{1,6})?) ?(ms|s|min|h|d)");

  @Override
  public Duration convert(String text) {
    Matcher duration = DURATION.matcher(text.toLowerCase(Locale.ROOT));
    if (!duration.matches()) {
      throw new TypeConversionException(
          "not a duration such as 500ms, 2s, 15min, 6h or 7d: " + text);
    }
    long unitNs =
        switch (duration.group(2)) {
          case "ms" -> 1_000_000L;
          case "s" -> 1_000_000_000L;
          case "min" -> 60_000_000_000L;
          case "h" -> 3_600_000_000_000L;
          default -> 86_400_000_000_000L;
        };
    try {
      return Duration.ofNanos(
          new BigDecimal(duration.group(1)).multiply(BigDecimal.valueOf(unitNs)).longValueExact());
    } catch (ArithmeticException e) {
      throw new TypeConversionException("a duration of centuries, or of less than a ns: " + text);
    }
  }
}
