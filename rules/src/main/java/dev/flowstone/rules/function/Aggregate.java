// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.function;

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
  }

  @Override
  public String name() {
    return "aggregate";
  }
}
