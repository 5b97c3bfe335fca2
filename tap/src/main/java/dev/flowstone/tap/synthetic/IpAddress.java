// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

/**
 * An address of the truth: ordered by its bytes, printed as RFC 5952 asks.
 *
 * @param ipv6 whether both halves count; an IPv4 address sits in the low 32 bits of {@code low}
 * @param high upper 64 bits
 * @param low lower 64 bits
 */
record IpAddress(boolean ipv6, long high, long low) implements Comparable<IpAddress> {

  static IpAddress v4(int bits) {
    return new IpAddress(false, 0, bits & 0xffff_ffffL);
  }

  static IpAddress v6(long high, long low) {
    return new IpAddress(true, high, low);
  }

  /** As their bytes compare: an IPv4 address has four of them, an IPv6 address sixteen. */
  @Override
  public int compareTo(IpAddress other) {
    int byStart = Long.compareUnsigned(firstBytes(), other.firstBytes());
    if (byStart != 0) {
      return byStart;
    }
    return ipv6 && other.ipv6
        ? Long.compareUnsigned(low, other.low)
        : Boolean.compare(ipv6, other.ipv6);
  }

  private long firstBytes() {
    return ipv6 ? high : low << 32;
  }

  @Override
  public String toString() {
    if (!ipv6) {
      return (low >>> 24) + "." + (low >>> 16 & 255) + "." + (low >>> 8 & 255) + "." + (low & 255);
    }
    return textV6();
  }

  private String textV6() {
    int[] groups = new int[8];
    for (int i = 0; i < 8; i++) {
      long half = i < 4 ? high : low;
      groups[i] = (int) (half >>> (48 - 16 * (i & 3))) & 0xffff;
    }
    int zerosAt = 8;
    int zeros = 1; // a single zero group is not shortened
    for (int i = 0; i < 8; i++) {
      int run = 0;
      while (i + run < 8 && groups[i + run] == 0) {
        run++;
      }
      if (run > zeros) {
        zerosAt = i;
        zeros = run;
      }
    }
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 8; i++) {
      if (i == zerosAt) {
        text.append("::");
        i += zeros - 1;
        continue;
      }
      if (!text.isEmpty() && text.charAt(text.length() - 1) != ':') {
        text.append(':');
      }
      text.append(Integer.toHexString(groups[i]));
    }
    return text.toString();
  }
}
