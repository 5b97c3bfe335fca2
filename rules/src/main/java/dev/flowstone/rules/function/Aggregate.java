// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.function;

import dev.flowstone.commandline.DurationText;
import java.time.Duration;

/**
 * Flow records in place of packets: packets, bytes, first and last time, flags seen.
 *
 * @param activeTimeout a flow that goes on is told this often
 * @param idleTimeout a flow without a packet for so long has ended
 */
public record Aggregate(Duration activeTimeout, Duration idleTimeout) implements ServiceFunction {
  public static final Aggregate USUAL =
      new Aggregate(Duration.ofSeconds(60), Duration.ofSeconds(15));

  public Aggregate {
    Span.require("active_timeout", activeTimeout);
    Span.require("idle_timeout", idleTimeout);
    if (idleTimeout.compareTo(activeTimeout) > 0) {
      throw new IllegalArgumentException(
          "idle_timeout, %s, must not be longer than active_timeout, %s (left out they are 15s and 60s)"
              .formatted(DurationText.of(idleTimeout), DurationText.of(activeTimeout)));
    }
  }

  @Override
  public String name() {
    return "aggregate";
  }
}
