// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.time.Duration;

/**
 * A SYN flood towards one destination.
 *
 * @param start when it begins, counted from the first packet of the run
 * @param duration how long it lasts
 * @param packetsPerSecond SYNs a second, on top of the usual traffic
 * @param sources number of source addresses they pretend to come from
 */
public record SynFlood(Duration start, Duration duration, long packetsPerSecond, int sources) {
  public static final int MAX_SOURCES = 1 << 20;
  public static final long MAX_PACKETS_PER_SECOND = 1_000_000_000;

  public SynFlood {
    if (start.isNegative() || duration.isNegative() || duration.isZero()) {
      throw new IllegalArgumentException(
          "flood must start at 0 s or later and last some time: start="
              + start
              + ", duration="
              + duration);
    }
    if (packetsPerSecond < 1 || packetsPerSecond > MAX_PACKETS_PER_SECOND) {
      throw new IllegalArgumentException(
          "flood rate must be from 1 to "
              + MAX_PACKETS_PER_SECOND
              + " packets/s: rate="
              + packetsPerSecond);
    }
    if (sources < 1 || sources > MAX_SOURCES) {
      throw new IllegalArgumentException(
          "flood sources must be from 1 to " + MAX_SOURCES + ": sources=" + sources);
    }
  }

  SynFlood withPacketsPerSecond(long value) {
    return new SynFlood(start, duration, value, sources);
  }
}
