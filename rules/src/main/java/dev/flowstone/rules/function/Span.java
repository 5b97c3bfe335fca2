// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.function;

import dev.flowstone.commandline.DurationText;
import java.time.Duration;

/** How long something of a function may take. */
final class Span {
  static final Duration LEAST = Duration.ofMillis(1);
  static final Duration MOST = Duration.ofDays(7);

  private Span() {}

  static void require(String what, Duration length) {
    if (length.compareTo(LEAST) < 0 || length.compareTo(MOST) > 0) {
      throw new IllegalArgumentException(what + " must be 1ms to 7d: " + DurationText.of(length));
    }
  }
}
