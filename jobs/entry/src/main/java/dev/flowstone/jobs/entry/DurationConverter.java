// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.entry;

import java.time.Duration;
import org.apache.flink.util.TimeUtils;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a duration as Flink's configuration spells it. */
public final class DurationConverter implements ITypeConverter<Duration> {
  @Override
  public Duration convert(String text) {
    try {
      return TimeUtils.parseDuration(text);
    } catch (IllegalArgumentException e) {
      throw new TypeConversionException("not a duration such as 500 ms, 900 s or 15 min: " + text);
    }
  }

  /** As somebody would type it. */
  public static String spell(Duration duration) {
    return TimeUtils.formatWithHighestUnit(duration);
  }
}
