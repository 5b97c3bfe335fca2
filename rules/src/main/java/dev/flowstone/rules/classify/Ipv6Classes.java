// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.classify;

import java.math.BigInteger;

/** The class of each IPv6 address, found by halving the list of intervals. */
final class Ipv6Classes {
  private final long[] startsHigh;
  private final long[] startsLow;
  private final char[] classes;

  private Ipv6Classes(long[] startsHigh, long[] startsLow, char[] classes) {
    this.startsHigh = startsHigh;
    this.startsLow = startsLow;
    this.classes = classes;
  }

  static Ipv6Classes of(AddressIntervals intervals) {
    // The end of the highest prefix is beyond all addresses.
    int count = (int) intervals.starts().stream().filter(start -> start.bitLength() <= 128).count();
    long[] high = new long[count];
    long[] low = new long[count];
    for (int i = 0; i < count; i++) {
      BigInteger start = intervals.starts().get(i);
      high[i] = comparable(start.shiftRight(Long.SIZE).longValue());
      low[i] = comparable(start.longValue());
    }
    return new Ipv6Classes(high, low, intervals.classes());
  }

  char classOf(long addressHigh, long addressLow) {
    long high = comparable(addressHigh);
    long low = comparable(addressLow);
    int at = 0;
    for (int left = startsHigh.length; left > 1; ) {
      int half = left >>> 1;
      int middle = at + half;
      boolean isBelow =
          startsHigh[middle] < high || (startsHigh[middle] == high && startsLow[middle] <= low);
      at = isBelow ? middle : at;
      left -= half;
    }
    return classes[at];
  }

  long memoryBytes() {
    return 2L * Long.BYTES * startsHigh.length + (long) Character.BYTES * classes.length;
  }

  /** Signed comparison of this is unsigned comparison of the half. */
  private static long comparable(long half) {
    return half ^ Long.MIN_VALUE;
  }
}
