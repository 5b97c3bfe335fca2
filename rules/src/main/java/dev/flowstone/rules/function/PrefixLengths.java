// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.function;

/** How many bits of an address make what is counted together. */
public record PrefixLengths(int ipv4Bits, int ipv6Bits) {
  public static final PrefixLengths USUAL = new PrefixLengths(24, 48);

  public PrefixLengths {
    if (ipv4Bits < 0 || ipv4Bits > 32) {
      throw new IllegalArgumentException("ipv4_bits must be 0 to 32: " + ipv4Bits);
    }
    if (ipv6Bits < 0 || ipv6Bits > 128) {
      throw new IllegalArgumentException("ipv6_bits must be 0 to 128: " + ipv6Bits);
    }
  }
}
