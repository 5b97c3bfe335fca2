// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/** How fast named counters grow from one look at them to the next. One thread. */
final class Rates {
  private final Map<String, Long> earlier = new HashMap<>();
  private long earlierNs;
  private double seconds;

  Rates(long nowNs) {
    earlierNs = nowNs;
  }

  /** All that is asked from here on is asked now. */
  void look(long nowNs) {
    seconds = (nowNs - earlierNs) / 1e9;
    earlierNs = nowNs;
  }

  /** Each second since the last look; there is none at the first. */
  OptionalLong of(String name, long count) {
    Long before = earlier.put(name, count);
    return before == null
        ? OptionalLong.empty()
        : OptionalLong.of(Math.round((count - before) / seconds));
  }
}
