// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model;

/**
 * Writes addresses in the canonical form of RFC 5952: lower case, no leading zeros, the longest run
 * of two or more zero groups (the first of equals) as {@code ::}. IPv4 is dotted; an IPv6 address
 * in {@code ::ffff:0:0/96} ends in dotted form, as section 5 of the RFC recommends.
 */
public final class AddressText {
  private static final int GROUPS = 8;
  private static final long MAPPED_PREFIX = 0xffffL;

  private AddressText() {}

  /**
   * The text of one address.
   *
   * @param high the first eight bytes as a big-endian number
   * @param low the last eight bytes
   * @param ipv4 whether the address is the IPv4 address in the last four bytes
   */
  public static String of(long high, long low, boolean ipv4) {
    if (ipv4) {
      return dotted((int) low);
    }
    if (high == 0 && low >>> Integer.SIZE == MAPPED_PREFIX) {
      return "::ffff:" + dotted((int) low);
    }
    return groups(high, low);
  }

  private static String dotted(int address) {
    return (address >>> 24)
        + "."
        + (address >>> 16 & 0xff)
        + "."
        + (address >>> 8 & 0xff)
        + "."
        + (address & 0xff);
  }

  private static String groups(long high, long low) {
    int runStart = -1;
    int runLength = 1; // A single zero group is written as it is.
    for (int group = 0; group < GROUPS; group++) {
      int length = zeroRun(high, low, group);
      if (length > runLength) {
        runStart = group;
        runLength = length;
      }
    }
    StringBuilder text = new StringBuilder();
    int group = 0;
    while (group < GROUPS) {
      if (group == runStart) {
        text.append("::");
        group += runLength;
      } else {
        boolean first = text.isEmpty() || text.charAt(text.length() - 1) == ':';
        text.append(first ? "" : ":").append(Integer.toHexString(group(high, low, group)));
        group++;
      }
    }
    return text.toString();
  }

  private static int zeroRun(long high, long low, int start) {
    int group = start;
    while (group < GROUPS && group(high, low, group) == 0) {
      group++;
    }
    return group - start;
  }

  private static int group(long high, long low, int index) {
    long half = index < GROUPS / 2 ? high : low;
    return (int) (half >>> (48 - index % (GROUPS / 2) * 16)) & 0xffff;
  }
}
