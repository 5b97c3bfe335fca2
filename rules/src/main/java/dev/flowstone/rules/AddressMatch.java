// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules;

import dev.flowstone.model.AddressText;
import java.io.Serializable;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.regex.Pattern;

/**
 * Addresses whose bits under the mask are those of the value: a prefix, one address, or any mask.
 * Halves of 128 bits as in a packet's record, IPv4 as {@code ::ffff:a.b.c.d}; an IPv4 match holds
 * for IPv4 packets alone, an IPv6 match for IPv6 packets alone.
 */
public record AddressMatch(boolean ipv4, long high, long low, long maskHigh, long maskLow)
    implements Serializable {
  private static final long MAPPED_PREFIX = 0xffff_0000_0000L;
  private static final long MAPPED_MASK = 0xffff_ffff_0000_0000L;
  private static final Pattern DOTTED = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
  private static final Pattern COLONS =
      Pattern.compile("[0-9a-fA-F:]{2,39}(\\d{1,3}(\\.\\d{1,3}){3})?");
  private static final Pattern LENGTH = Pattern.compile("\\d{1,3}");

  public AddressMatch {
    if (((high & ~maskHigh) | (low & ~maskLow)) != 0) {
      throw new IllegalArgumentException(
          text(ipv4, high, low, maskHigh, maskLow)
              + " has bits beyond its mask; "
              + text(ipv4, high & maskHigh, low & maskLow, maskHigh, maskLow)
              + " has the same meaning without them");
    }
    if (ipv4
        && (high != 0
            || low >>> Integer.SIZE != MAPPED_PREFIX >>> Integer.SIZE
            || maskHigh != -1
            || maskLow >>> Integer.SIZE != MAPPED_MASK >>> Integer.SIZE)) {
      throw new IllegalArgumentException("an IPv4 match needs an address ::ffff:a.b.c.d");
    }
  }

  /** The match of a prefix, after the bits beyond it were cleared. */
  public static AddressMatch prefix(boolean ipv4, long high, long low, int lengthBits) {
    int bits = ipv4 ? lengthBits + 96 : lengthBits;
    long maskHigh = leading(Math.min(bits, Long.SIZE));
    long maskLow = leading(Math.max(bits - Long.SIZE, 0));
    return new AddressMatch(ipv4, high & maskHigh, low & maskLow, maskHigh, maskLow);
  }

  /**
   * Reads {@code 192.0.2.0/24}, {@code 192.0.2.7}, {@code 10.0.0.1/255.0.0.255}, and the same of
   * IPv6.
   *
   * @throws IllegalArgumentException with what is wrong
   */
  public static AddressMatch parse(String text) {
    int slash = text.indexOf('/');
    String address = slash < 0 ? text : text.substring(0, slash);
    long[] value = address(address, text);
    boolean ipv4 = isDotted(address);
    if (slash < 0) {
      return new AddressMatch(ipv4, value[0], value[1], -1, -1);
    }
    String mask = text.substring(slash + 1);
    if (LENGTH.matcher(mask).matches()) {
      int bits = Integer.parseInt(mask);
      if (bits > (ipv4 ? 32 : 128)) {
        throw new IllegalArgumentException(
            "a prefix of " + (ipv4 ? "IPv4 has 0 to 32" : "IPv6 has 0 to 128") + " bits: " + text);
      }
      AddressMatch prefix = prefix(ipv4, value[0], value[1], bits);
      return new AddressMatch(ipv4, value[0], value[1], prefix.maskHigh, prefix.maskLow);
    }
    if (isDotted(mask) != ipv4) {
      throw unreadable(text);
    }
    long[] bits = address(mask, text);
    return ipv4
        ? new AddressMatch(true, value[0], value[1], -1, bits[1] | MAPPED_MASK)
        : new AddressMatch(false, value[0], value[1], bits[0], bits[1]);
  }

  /** Whether an address of the same IP version is one of these. */
  public boolean matches(long addressHigh, long addressLow) {
    return (addressHigh & maskHigh) == high && (addressLow & maskLow) == low;
  }

  /** Whether the mask is a prefix's, so that the addresses follow one another without a gap. */
  public boolean isPrefix() {
    return prefix(ipv4, high, low, lengthBits()).equals(this);
  }

  /** How many bits the mask has, of an IPv4 address those of its 32. */
  public int lengthBits() {
    return Long.bitCount(maskHigh) + Long.bitCount(maskLow) - (ipv4 ? 96 : 0);
  }

  /** Whether all addresses of the other are among these. */
  public boolean covers(AddressMatch other) {
    return ipv4 == other.ipv4
        && ((maskHigh & ~other.maskHigh) | (maskLow & ~other.maskLow)) == 0
        && matches(other.high, other.low);
  }

  @Override
  public String toString() {
    return text(ipv4, high, low, maskHigh, maskLow);
  }

  private static String text(boolean ipv4, long high, long low, long maskHigh, long maskLow) {
    String address = AddressText.of(high, low, ipv4);
    int bits = Long.bitCount(maskHigh) + Long.bitCount(maskLow);
    boolean isPrefix =
        maskHigh == leading(Math.min(bits, Long.SIZE))
            && maskLow == leading(Math.max(bits - Long.SIZE, 0));
    if (isPrefix) {
      return bits == 128 ? address : address + "/" + (ipv4 ? bits - 96 : bits);
    }
    return address + "/" + AddressText.of(maskHigh, maskLow, ipv4);
  }

  private static long leading(int bits) {
    return bits == 0 ? 0 : -1L << (Long.SIZE - bits);
  }

  private static boolean isDotted(String text) {
    return DOTTED.matcher(text).matches();
  }

  /** Never asks a name server: what is no literal is refused before. */
  private static long[] address(String address, String text) {
    if (!isDotted(address) && !(address.contains(":") && COLONS.matcher(address).matches())) {
      throw unreadable(text);
    }
    byte[] bytes = bytes(address, text);
    if (bytes.length != Integer.BYTES) {
      return new long[] {ByteBuffer.wrap(bytes).getLong(), ByteBuffer.wrap(bytes).getLong(8)};
    }
    if (!isDotted(address)) {
      throw new IllegalArgumentException(
          "an IPv4 address is written as such, without ::ffff: in front: " + text);
    }
    return new long[] {0, MAPPED_PREFIX | Integer.toUnsignedLong(ByteBuffer.wrap(bytes).getInt())};
  }

  private static byte[] bytes(String address, String text) {
    try {
      return InetAddress.ofLiteral(address).getAddress();
    } catch (IllegalArgumentException e) {
      throw unreadable(text);
    }
  }

  private static IllegalArgumentException unreadable(String text) {
    return new IllegalArgumentException(
        "not an address, such as 192.0.2.7, 192.0.2.0/24, 10.0.0.1/255.0.0.255 or 2001:db8::/32: "
            + text);
  }
}
