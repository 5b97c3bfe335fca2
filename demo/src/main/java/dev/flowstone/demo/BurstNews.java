// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.util.Locale;

/**
 * A burst of one flow.
 *
 * @param begin time of its first packet
 * @param durationNs until that of its last one
 */
record BurstNews(Instant begin, long durationNs, long packets, long bytes, String flow) {
  private static final double NS_PER_US = 1e3;

  static BurstNews of(JsonNode burst) {
    long beginNs = burst.required("time_ns").asLong();
    return new BurstNews(
        Instant.EPOCH.plusNanos(beginNs),
        burst.required("last_ns").asLong() - beginNs,
        burst.required("packets").asLong(),
        burst.required("bytes").asLong(),
        TopTalkers.nameOf(burst));
  }

  /** One line: when, how much in which time, and whose. */
  String line() {
    // Bits in a nanosecond are gigabits in a second.
    double gigabits = (double) bytes * Byte.SIZE / Math.max(1, durationNs);
    return String.format(
        Locale.ROOT,
        "%s  %s packets in %,.0f us, %.1f Gb/s  %s",
        AlertNews.CLOCK.format(begin),
        TableLayout.number(packets),
        durationNs / NS_PER_US,
        gigabits,
        flow);
  }
}
