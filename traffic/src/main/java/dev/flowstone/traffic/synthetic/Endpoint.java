// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.StringJoiner;

/** The address of one end of a flow. */
final class Endpoint {
  private static final int GROUPS = 8;

  private final byte[] address;

  private Endpoint(byte[] address) {
    this.address = address;
  }

  static Endpoint ipv4(int address) {
    return new Endpoint(ByteBuffer.allocate(Integer.BYTES).putInt(address).array());
  }

  static Endpoint ipv6(long upper, long lower) {
    return new Endpoint(ByteBuffer.allocate(2 * Long.BYTES).putLong(upper).putLong(lower).array());
  }

  byte[] address() {
    return address;
  }

  String text() {
    return address.length == Integer.BYTES ? ipv4Text() : ipv6Text();
  }

  private String ipv4Text() {
    try {
      return InetAddress.getByAddress(address).getHostAddress();
    } catch (UnknownHostException e) {
      throw new IllegalStateException("an address of " + address.length + " bytes", e);
    }
  }

  /** RFC 5952: lower case, no leading zeros, the first longest run of zero groups as "::". */
  private String ipv6Text() {
    int[] groups = new int[GROUPS];
    for (int i = 0; i < GROUPS; i++) {
      groups[i] = ByteBuffer.wrap(address).getShort(i * Short.BYTES) & 0xFFFF;
    }
    int start = 0;
    int longest = 0;
    for (int i = 0; i < GROUPS; i++) {
      int run = 0;
      while (i + run < GROUPS && groups[i + run] == 0) {
        run++;
      }
      if (run > longest) {
        start = i;
        longest = run;
      }
    }
    return longest < 2
        ? join(groups, 0, GROUPS)
        : join(groups, 0, start) + "::" + join(groups, start + longest, GROUPS);
  }

  private static String join(int[] groups, int from, int to) {
    StringJoiner text = new StringJoiner(":");
    for (int i = from; i < to; i++) {
      text.add(Integer.toHexString(groups[i]));
    }
    return text.toString();
  }
}
