// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

/**
 * What a side's frames need besides their template, in one word: the sums of what stands in it, and
 * the window of TCP.
 *
 * <pre>
 *   63       48 47  32 31    16 15 0
 *   | transport | IPv4 | window | 0 |
 * </pre>
 */
final class HeaderSums {
  private static final int TRANSPORT_SHIFT = 48;
  private static final int IP_SHIFT = 32;
  private static final int WINDOW_SHIFT = 16;
  private static final int MASK = 0xFFFF;

  private HeaderSums() {}

  static long pack(int transportSum, int ipSum, int window) {
    return ((long) transportSum << TRANSPORT_SHIFT)
        | ((long) ipSum << IP_SHIFT)
        | ((long) window << WINDOW_SHIFT);
  }

  /** Over the pseudo header without length, and over what does not change of the transport's. */
  static int transport(long sums) {
    return (int) (sums >>> TRANSPORT_SHIFT);
  }

  /** Over the IPv4 header without its length. */
  static int ip(long sums) {
    return (int) (sums >>> IP_SHIFT) & MASK;
  }

  static int window(long sums) {
    return (int) (sums >>> WINDOW_SHIFT) & MASK;
  }
}
