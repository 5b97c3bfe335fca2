// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Which numbers an option of a job takes. Its class refuses others with words that name the range:
 * so it is given some.
 */
final class TriedRange {
  private static final String CHECK = "requireSense";
  private static final List<Long> TOO_LITTLE_OR_TOO_MUCH = List.of(-1L, (long) Integer.MAX_VALUE);
  private static final List<Duration> TOO_SHORT_OR_TOO_LONG =
      List.of(Duration.ofNanos(1), Duration.ofDays(100_000));

  private TriedRange() {}

  /** Empty: any number is taken, or it is none. */
  static String of(OptionSpec option) {
    Field field = (Field) option.userObject();
    Class<?> type = field.getType();
    if (type == Duration.class) {
      return tried(option, field, TOO_SHORT_OR_TOO_LONG);
    }
    if (type == int.class || type == Integer.class) {
      return tried(option, field, TOO_LITTLE_OR_TOO_MUCH.stream().map(Long::intValue).toList());
    }
    return type == long.class || type == Long.class
        ? tried(option, field, TOO_LITTLE_OR_TOO_MUCH)
        : "";
  }

  private static String tried(OptionSpec option, Field field, List<?> values) {
    try {
      Object owner = option.scope().get();
      field.setAccessible(true);
      Object before = field.get(owner);
      try {
        for (Object value : values) {
          field.set(owner, value);
          String range = refusal(option, owner);
          if (!range.isEmpty()) {
            return range;
          }
        }
        return "";
      } finally {
        field.set(owner, before);
      }
    } catch (Exception e) {
      throw new IllegalStateException(option.longestName(), e);
    }
  }

  private static String refusal(OptionSpec option, Object owner) throws IllegalAccessException {
    try {
      Method check = owner.getClass().getDeclaredMethod(CHECK);
      check.setAccessible(true);
      check.invoke(owner);
      return "";
    } catch (NoSuchMethodException nothingIsChecked) {
      return "";
    } catch (InvocationTargetException e) {
      Matcher words =
          Pattern.compile(option.longestName() + " must be (.+): [^:]+")
              .matcher("" + e.getCause().getMessage());
      return words.matches() ? words.group(1) : "";
    }
  }
}
