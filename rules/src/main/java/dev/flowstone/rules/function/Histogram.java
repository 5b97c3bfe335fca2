// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.function;

import java.time.Duration;
import java.util.Set;

/**
 * Distributions in place of packets.
 *
 * @param of what is measured, a histogram each
 * @param per what has a histogram of its own
 * @param prefixes how long the prefixes are where {@code per} is one
 * @param lowestNs the least inter-arrival time that is told from zero, and the resolution there
 * @param highestNs the greatest that is counted; what lies above is counted as overflow
 * @param digits significant decimal digits that a value keeps
 * @param interval of event time between reports
 */
public record Histogram(
    Set<Measure> of,
    Per per,
    PrefixLengths prefixes,
    long lowestNs,
    long highestNs,
    int digits,
    Duration interval)
    implements ServiceFunction {
  public static final long USUAL_LOWEST_NS = 100;
  public static final long USUAL_HIGHEST_NS = 10_000_000_000L;
  public static final Duration USUAL_INTERVAL = Duration.ofSeconds(10);
  public static final int MOST_DIGITS = 5;

  /** What a histogram is of. */
  public enum Measure {
    INTER_ARRIVAL,
    PACKET_SIZE
  }

  /** Whose histogram it is. */
  public enum Per {
    RULE,
    FLOW,
    SOURCE_PREFIX,
    DESTINATION_PREFIX;

    public boolean isPrefix() {
      return this == SOURCE_PREFIX || this == DESTINATION_PREFIX;
    }

    /** One digit for each of a million flows is 1.6 GB; two would be 11. */
    public int usualDigits() {
      return this == FLOW ? 1 : 2;
    }
  }

  public Histogram {
    of = Set.copyOf(of);
    if (of.isEmpty()) {
      throw new IllegalArgumentException("of must name inter_arrival, packet_size or both");
    }
    if (lowestNs < 1 || highestNs < 2 * lowestNs || highestNs > Span.MOST.toNanos()) {
      throw new IllegalArgumentException(
          "lowest must be 1ns or more and highest at least twice that, 7d at most: %dns to %dns"
              .formatted(lowestNs, highestNs));
    }
    if (digits < 1 || digits > MOST_DIGITS) {
      throw new IllegalArgumentException("digits must be 1 to 5: " + digits);
    }
    if (!per.isPrefix() && !prefixes.equals(PrefixLengths.USUAL)) {
      throw new IllegalArgumentException(
          "ipv4_bits and ipv6_bits are for per: source_prefix and destination_prefix");
    }
    Span.require("interval", interval);
  }

  /** Inter-arrival times with what is usual for the rest. */
  public static Histogram usual(Per per) {
    return new Histogram(
        Set.of(Measure.INTER_ARRIVAL),
        per,
        PrefixLengths.USUAL,
        USUAL_LOWEST_NS,
        USUAL_HIGHEST_NS,
        per.usualDigits(),
        USUAL_INTERVAL);
  }

  @Override
  public String name() {
    return "histogram";
  }
}
