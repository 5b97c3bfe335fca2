// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Objects;

/**
 * A SYN flood on top of the usual traffic: SYNs without answers, each from another source.
 *
 * <p>Sources lie in 32.0.0.0/3 and every (address, port) is used once, so the flood adds as many
 * 5-tuples as packets.
 *
 * @param after when the first SYN may come, counted from the start of the traffic
 * @param duration how long the flood lasts
 * @param packetsPerSecond its own rate, added to that of the usual traffic
 * @param victim destination address, IPv4
 * @param victimPort destination port
 */
public record SynFlood(
    Duration after, Duration duration, long packetsPerSecond, Inet4Address victim, int victimPort) {

  /** Keeps the end of the flood inside a signed 64-bit count of nanoseconds. */
  private static final Duration LONGEST = Duration.ofDays(3650);

  /** 100,000 SYNs a second at 203.0.113.10:443, from second 10 to 20. */
  public static final SynFlood DEFAULT =
      new SynFlood(
          Duration.ofSeconds(10), Duration.ofSeconds(10), 100_000, address("203.0.113.10"), 443);

  public SynFlood {
    Objects.requireNonNull(victim, "victim");
    SyntheticOptions.require(!after.isNegative(), "flood start must not be negative", after);
    SyntheticOptions.require(
        duration.isPositive(), "flood duration must be longer than nothing", duration);
    SyntheticOptions.require(
        after.compareTo(LONGEST) <= 0 && duration.compareTo(LONGEST) <= 0,
        "flood start and duration must be at most " + LONGEST,
        after + " and " + duration);
    SyntheticOptions.requireRate("flood rate", packetsPerSecond);
    SyntheticOptions.require(
        victimPort >= 1 && victimPort <= 65_535, "victim port must be in 1..65535", victimPort);
  }

  /** Parses an IPv4 literal such as {@code 203.0.113.10}; names are never looked up. */
  public static Inet4Address address(String literal) {
    return Inet4Address.ofLiteral(literal);
  }

  long firstNs(long startNs) {
    return startNs + after.toNanos();
  }

  /** The first nanosecond after the flood. */
  long endNs(long startNs) {
    return firstNs(startNs) + duration.toNanos();
  }

  int victimBits() {
    return bits(victim);
  }

  static int bits(InetAddress address) {
    byte[] bytes = address.getAddress();
    return (bytes[0] & 0xff) << 24
        | (bytes[1] & 0xff) << 16
        | (bytes[2] & 0xff) << 8
        | (bytes[3] & 0xff);
  }
}
