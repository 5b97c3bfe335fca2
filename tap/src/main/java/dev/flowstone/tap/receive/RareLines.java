// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Lines about what may happen with every datagram, each kind now and then. One thread. */
final class RareLines {
  private static final long EVERY_NS = TimeUnit.SECONDS.toNanos(10);

  /** What lines are about. */
  enum Kind {
    OTHER_SENDER,
    ARRANGEMENT
  }

  private final Consumer<String> say;
  private final Map<Kind, Long> saidNs = new EnumMap<>(Kind.class);

  RareLines(Consumer<String> say) {
    this.say = say;
  }

  void say(Kind kind, long nowNs, Supplier<String> line) {
    Long earlierNs = saidNs.get(kind);
    if (earlierNs == null || nowNs - earlierNs >= EVERY_NS) {
      saidNs.put(kind, nowNs);
      say.accept(line.get());
    }
  }
}
