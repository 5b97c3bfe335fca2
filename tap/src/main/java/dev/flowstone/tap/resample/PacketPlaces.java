// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.resample;

/**
 * What {@link HeaderPlaces} found in one packet, in one word.
 *
 * <pre>
 *   51        50                     49              48     47        32 31  16 15      0
 *   | changes | destination under way | zero means none | IPv6 | checksum | ports | addresses |
 * </pre>
 */
final class PacketPlaces {
  /** Nothing can be changed. */
  static final long NONE = 0;

  private static final int PORTS_SHIFT = 16;
  private static final int CHECKSUM_SHIFT = 32;
  private static final long IPV6 = 1L << 48;
  private static final long ZERO_MEANS_NONE = 1L << 49;
  private static final long UNDER_WAY = 1L << 50;
  private static final long CHANGES = 1L << 51;
  private static final int MASK = 0xFFFF;

  private PacketPlaces() {}

  static long of(HeaderPlaces found) {
    return found.addresses()
        | ((long) found.ports() << PORTS_SHIFT)
        | ((long) found.checksum() << CHECKSUM_SHIFT)
        | (found.isIpv6() ? IPV6 : 0)
        | (found.zeroMeansNone() ? ZERO_MEANS_NONE : 0)
        | (found.destinationIsUnderWay() ? UNDER_WAY : 0)
        | CHANGES;
  }

  static int addresses(long places) {
    return (int) places & MASK;
  }

  static int ports(long places) {
    return (int) (places >>> PORTS_SHIFT) & MASK;
  }

  static int checksum(long places) {
    return (int) (places >>> CHECKSUM_SHIFT) & MASK;
  }

  static boolean isIpv6(long places) {
    return (places & IPV6) != 0;
  }

  static boolean zeroMeansNone(long places) {
    return (places & ZERO_MEANS_NONE) != 0;
  }

  static boolean destinationIsUnderWay(long places) {
    return (places & UNDER_WAY) != 0;
  }
}
