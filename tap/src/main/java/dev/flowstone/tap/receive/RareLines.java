// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Lines that every datagram could cause: limits how often each kind is printed. One thread. */
final class RareLines {

  /** What lines are about. */
  enum Kind {
    OTHER_SENDER(10),
    ARRANGEMENT(10),
    FORMER_RUN(10),
    RINGS(10),
    RING_COUNT(10),
    TAG(10),
    RUN(1);

    private final long intervalNs;

    Kind(int intervalSeconds) {
      intervalNs = TimeUnit.SECONDS.toNanos(intervalSeconds);
    }
  }

  private final Consumer<String> say;
  private final Map<Kind, Long> saidNs = new EnumMap<>(Kind.class);

  RareLines(Consumer<String> say) {
    this.say = say;
  }

  void say(Kind kind, long nowNs, Supplier<String> line) {
    Long earlierNs = saidNs.get(kind);
    if (earlierNs == null || nowNs - earlierNs >= kind.intervalNs) {
      saidNs.put(kind, nowNs);
      say.accept(line.get());
    }
  }
}
