// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.resample;

/**
 * What an address is for, which its replacement keeps: a private address becomes a private one. An
 * address is two halves of 64 bits; those of IPv4 stand in the lowest 32.
 */
enum AddressClass {
  /** Multicast, broadcast, unspecified, IPv6 loopback: stay as they are. */
  FIXED(0, 0),
  GLOBAL4(1, 28),
  PRIVATE4(2, 24),
  LOOPBACK4(3, 24),
  LINK_LOCAL4(4, 16),
  GLOBAL6(5, 64),
  PRIVATE6(6, 64),
  LINK_LOCAL6(7, 64),
  /** The multicast group that asks for a neighbour: has three bytes of its address. */
  NEIGHBOUR6(8, 24);

  /** By number. */
  static final AddressClass[] ALL = values();

  final int number;

  /** Becomes one of 2^bits addresses. */
  final int bits;

  AddressClass(int number, int bits) {
    this.number = number;
    this.bits = bits;
  }

  static AddressClass of4(int address) {
    int first = address >>> 24;
    int second = (address >>> 16) & 0xFF;
    return switch (first) {
      case 0 -> FIXED;
      case 10 -> PRIVATE4;
      case 127 -> LOOPBACK4;
      case 169 -> second == 254 ? LINK_LOCAL4 : GLOBAL4;
      case 172 -> second >>> 4 == 1 ? PRIVATE4 : GLOBAL4;
      case 192 -> second == 168 ? PRIVATE4 : GLOBAL4;
      default -> first >= 224 ? FIXED : GLOBAL4;
    };
  }

  static AddressClass of6(long high, long low) {
    int first = (int) (high >>> 56);
    if (high == 0 && (low == 0 || low == 1)) {
      return FIXED;
    }
    if (first == 0xFF) {
      // ff02::1:ff00:0/104
      return high == 0xFF02_0000_0000_0000L && low >>> 24 == 0x1_FFL ? NEIGHBOUR6 : FIXED;
    }
    if (high >>> 54 == 0x3FA) {
      return LINK_LOCAL6;
    }
    return first >>> 1 == 0x7E ? PRIVATE6 : GLOBAL6;
  }
}
