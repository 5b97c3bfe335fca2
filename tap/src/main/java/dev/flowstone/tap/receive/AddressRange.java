// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import java.net.InetAddress;

/**
 * The addresses that begin with the same bits. Thread-safe.
 *
 * @param prefixBits how many bits; all of an address for one host
 */
public record AddressRange(InetAddress address, int prefixBits) {

  public AddressRange {
    if (prefixBits < 0 || prefixBits > bits(address)) {
      throw new IllegalArgumentException("prefix length must be from 0 to " + bits(address));
    }
  }

  /** Returns the range of one address. */
  public static AddressRange of(InetAddress address) {
    return new AddressRange(address, bits(address));
  }

  private static int bits(InetAddress address) {
    return address.getAddress().length * Byte.SIZE;
  }

  /** Returns whether an address of the same family is in the range. */
  public boolean contains(InetAddress other) {
    byte[] mine = address.getAddress();
    byte[] others = other.getAddress();
    if (mine.length != others.length) {
      return false;
    }
    for (int bit = 0; bit < prefixBits; bit += Byte.SIZE) {
      int ignoredBits = Math.max(0, bit + Byte.SIZE - prefixBits);
      if ((mine[bit / Byte.SIZE] ^ others[bit / Byte.SIZE]) >> ignoredBits != 0) {
        return false;
      }
    }
    return true;
  }
}
