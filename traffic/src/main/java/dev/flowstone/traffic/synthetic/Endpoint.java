// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.StringJoiner;

/** One end of a flow. */
final class Endpoint {
  private static final long LOCAL_MAC = 0x0200_0000_0000L;
  private static final int IPV4_BYTES = 4;
  private static final int GROUPS = 8;

  private final long mac;
  private final byte[] address;

  Endpoint(long mac, byte... address) {
    this.mac = mac;
    this.address = address;
  }

  /** 10.0.0.0/8 or 2001:db8:5::/48, one address per number. */
  static Endpoint server(int number, boolean ipv6) {
    return of(number, ipv6, 0x0A00_0000, 0x2001_0DB8_0005_0000L);
  }

  /** 172.16.0.0/12 or 2001:db8:c::/48. */
  static Endpoint client(int number, boolean ipv6) {
    return of(number, ipv6, 0xAC10_0000, 0x2001_0DB8_000C_0000L);
  }

  /** 198.18.0.0/15 and what follows: the addresses a flood pretends to come from. */
  static int floodSource(int number) {
    return 0xC612_0000 + number;
  }

  private static Endpoint of(int number, boolean ipv6, int prefix4, long prefix6) {
    byte[] address =
        ipv6
            ? ByteBuffer.allocate(2 * Long.BYTES).putLong(prefix6).putLong(number).array()
            : ByteBuffer.allocate(Integer.BYTES).putInt(prefix4 + number).array();
    return new Endpoint(LOCAL_MAC | Integer.toUnsignedLong(prefix4 + number), address);
  }

  long mac() {
    return mac;
  }

  byte[] address() {
    return address;
  }

  String text() {
    return address.length == IPV4_BYTES ? ipv4Text() : ipv6Text();
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
