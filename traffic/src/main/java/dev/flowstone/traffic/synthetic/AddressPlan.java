// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Which address the n-th host has. Networks are of many sizes, from /10 to /18 in IPv4 and below
 * /32 in IPv6, and lie scattered over the global space; hosts lie scattered in them. No two hosts
 * share an address, and no client has a server's.
 */
final class AddressPlan {
  /** Hosts of one plan; their addresses differ up to here. */
  static final int MAX_HOSTS = 1 << 24;

  private static final int PARTS = 1024;
  private static final int PART_BITS = 10;

  /** A part is a /18. */
  private static final int HOST_BITS = 14;

  /** How many networks there are of 2^8 parts, of 2^7 and so on down to one: {@link #PARTS}. */
  private static final int[] NETWORKS = {1, 2, 2, 4, 4, 8, 8, 16, 64};

  private static final int BLOCK_SHIFT = 22;
  private static final int BLOCKS = 1024;
  private static final int BLOCKS_PER_OCTET = 4;
  private static final int FIRST_MULTICAST_OCTET = 224;

  /** First octets with private, shared, local or test networks in them, loopback and 0. */
  private static final int[] SPECIAL_OCTETS = {0, 10, 100, 127, 169, 172, 192, 198, 203};

  /** The registries' first bits: 2001::, 2400::, 2600::, 2800::, 2a00::, 2c00::. */
  private static final int[] REGISTRIES = {0x2001, 0x2400, 0x2600, 0x2800, 0x2A00, 0x2C00};

  /** Odd numbers: steps through the numbers below a power of two in a scattered order. */
  private static final int PART_STEP = 0x2A5;

  private static final int HOST_STEP = 0x1F35;
  private static final int INTERFACE_STEP = 0x9E37_79B1;

  private final int[] parts4 = new int[PARTS];
  private final long[] parts6 = new long[PARTS];

  /** Plans with different parities share no address. */
  AddressPlan(int parity, SplittableRandom random) {
    boolean[] taken = new boolean[BLOCKS];
    int part = 0;
    int bits = NETWORKS.length - 1;
    for (int networks : NETWORKS) {
      for (int i = 0; i < networks; i++) {
        int block = drawBlock(parity, taken, random);
        int aligned = random.nextInt() & -(1 << bits) & ((1 << (BLOCK_SHIFT - HOST_BITS)) - 1);
        long network6 = drawNetwork6(parity, block, random);
        for (int j = 0; j < 1 << bits; j++) {
          parts4[part] = (block << BLOCK_SHIFT) + ((aligned + j) << HOST_BITS);
          parts6[part] = network6 + ((long) j << Short.SIZE);
          part++;
        }
      }
      bits--;
    }
  }

  /** A quarter of a first octet that no other network is in. */
  private static int drawBlock(int parity, boolean[] taken, SplittableRandom random) {
    while (true) {
      int block = (random.nextInt(FIRST_MULTICAST_OCTET * BLOCKS_PER_OCTET) & ~1) | parity;
      if (!taken[block] && Arrays.binarySearch(SPECIAL_OCTETS, block / BLOCKS_PER_OCTET) < 0) {
        taken[block] = true;
        return block;
      }
    }
  }

  /** A /32: the block's number keeps it apart from all others, of the other plan too. */
  private static long drawNetwork6(int parity, int block, SplittableRandom random) {
    long registry = REGISTRIES[random.nextInt(REGISTRIES.length)];
    long second = ((long) random.nextInt(1 << 6) << PART_BITS) | (block & ~1) | parity;
    return (registry << 48) | (second << 32);
  }

  int ipv4(int host) {
    // From one on: the busiest host is not a network's first address.
    int number = 1 + (host >>> PART_BITS) + part(host);
    return parts4[part(host)] + ((number * HOST_STEP) & ((1 << HOST_BITS) - 1));
  }

  /** The upper half of an IPv6 address. */
  long ipv6Network(int host) {
    return parts6[part(host)];
  }

  /** The lower half: looks random, as addresses that protect privacy do, and is the host's own. */
  long ipv6Interface(int host) {
    int scattered = (host + 1) * INTERFACE_STEP;
    return ((long) scattered << Integer.SIZE) | Integer.toUnsignedLong(~scattered * HOST_STEP);
  }

  /** Neighbours in number are strangers in address. */
  private static int part(int host) {
    return (host * PART_STEP) & (PARTS - 1);
  }

  Endpoint endpoint(int host, boolean ipv6) {
    return ipv6 ? Endpoint.ipv6(ipv6Network(host), ipv6Interface(host)) : Endpoint.ipv4(ipv4(host));
  }
}
