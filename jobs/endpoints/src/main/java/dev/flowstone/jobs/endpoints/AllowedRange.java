// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints;

import dev.flowstone.commandline.DurationText;
import java.time.Duration;
import java.util.function.Function;

/** Which numbers an option takes. */
public final class AllowedRange {
  private AllowedRange() {}

  public static void require(String option, long value, long least, long most) {
    require(option, value, least, most, Object::toString);
  }

  public static void require(String option, Duration value, Duration least, Duration most) {
    require(option, value, least, most, DurationText::of);
  }

  private static <T extends Comparable<T>> void require(
      String option, T value, T least, T most, Function<T, String> spell) {
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          "%s must be %s to %s: %s"
              .formatted(option, spell.apply(least), spell.apply(most), spell.apply(value)));
    }
  }
}
