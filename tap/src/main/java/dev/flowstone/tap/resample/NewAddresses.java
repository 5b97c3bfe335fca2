// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.resample;

/**
 * Addresses for instances. Of the class of an address only its number within the capture is used,
 * never its bytes, so that nothing of it can be found again: instance n gives its j-th address the
 * number n * addresses + j, and a keyed permutation of all addresses of the class says which that
 * is. So one address has one replacement throughout an instance, and no two instances share one
 * until a class has no more to give: 2^28 of IPv4's global addresses, 2^24 of its private ones.
 */
final class NewAddresses {
  private static final int ROUNDS = 4;
  private static final int GLOBAL4_BITS = AddressClass.GLOBAL4.bits;

  /** Sixteenths of the IPv4 addresses in which no network is special. */
  private static final int[] GLOBAL4_SIXTEENTHS = {2, 3, 4, 5, 8, 9, 11, 13};

  private static final int PRIVATE4_PREFIX = 10 << 24;
  private static final int LOOPBACK4_PREFIX = 127 << 24;
  private static final int LINK_LOCAL4_PREFIX = 0xA9FE_0000;
  private static final long GLOBAL6_PREFIX = 0x2000_0000_0000_0000L;
  private static final long PRIVATE6_PREFIX = 0xFD00_0000_0000_0000L;
  private static final long LINK_LOCAL6_PREFIX = 0xFE80_0000_0000_0000L;
  private static final long NEIGHBOUR6_PREFIX = 0xFF02_0000_0000_0000L;
  private static final long NEIGHBOUR6_LOWER = 0x1_FF00_0000L;
  private static final long NETWORK_OF_INSTANCE = 0x9E37_79B9_7F4A_7C15L;
  private static final int GLOBAL6_SHIFT = 3;
  private static final int PRIVATE6_SHIFT = 8;

  private final long key;
  private final long[] addresses = new long[AddressClass.ALL.length];

  /**
   * Addresses of a key.
   *
   * @param addresses how many addresses a capture has of each class, at most
   */
  NewAddresses(long key, int[] addresses) {
    this.key = mix(key ^ NETWORK_OF_INSTANCE);
    for (int i = 0; i < addresses.length; i++) {
      this.addresses[i] = addresses[i];
    }
  }

  int ipv4(AddressClass kind, long instance, int number) {
    long counter = counter(kind, instance, number);
    int suffix = permute((int) (counter & ((1L << kind.bits) - 1)), kind.bits);
    return switch (kind) {
      case GLOBAL4 -> (sixteenth(suffix) << GLOBAL4_BITS) | suffix;
      case PRIVATE4 -> PRIVATE4_PREFIX | suffix;
      case LOOPBACK4 -> LOOPBACK4_PREFIX | suffix;
      case LINK_LOCAL4 -> LINK_LOCAL4_PREFIX | suffix;
      default -> throw new IllegalArgumentException(kind + " is no class of IPv4 addresses");
    };
  }

  private int sixteenth(int suffix) {
    return GLOBAL4_SIXTEENTHS[(int) (mix(suffix + key) >>> (Long.SIZE - 3))];
  }

  long ipv6High(AddressClass kind, long instance) {
    return switch (kind) {
      case GLOBAL6 -> GLOBAL6_PREFIX | (network(instance) >>> GLOBAL6_SHIFT);
      case PRIVATE6 -> PRIVATE6_PREFIX | (network(instance) >>> PRIVATE6_SHIFT);
      case LINK_LOCAL6 -> LINK_LOCAL6_PREFIX;
      case NEIGHBOUR6 -> NEIGHBOUR6_PREFIX;
      default -> throw new IllegalArgumentException(kind + " is no class of IPv6 addresses");
    };
  }

  long ipv6Low(AddressClass kind, long instance, int number) {
    long counter = counter(kind, instance, number);
    return kind == AddressClass.NEIGHBOUR6
        ? NEIGHBOUR6_LOWER | permute((int) counter & ((1 << kind.bits) - 1), kind.bits)
        : mix(counter + key);
  }

  /** How far the ports of clients move. */
  int portShift(long instance) {
    return (int) network(instance) >>> Short.SIZE;
  }

  private long counter(AddressClass kind, long instance, int number) {
    return instance * addresses[kind.number] + number;
  }

  private long network(long instance) {
    return mix(key + instance * NETWORK_OF_INSTANCE);
  }

  /** A number of so many bits for each other, by a Feistel network of two halves. */
  private int permute(int number, int bits) {
    int half = bits / 2;
    int mask = (1 << half) - 1;
    int left = number >>> half;
    int right = number & mask;
    for (int round = 0; round < ROUNDS; round++) {
      int next = left ^ ((int) (mix(key + right + ((long) round << Integer.SIZE)) >>> half) & mask);
      left = right;
      right = next;
    }
    return (left << half) | right;
  }

  /** Each 64-bit number for another: the finalizer of MurmurHash3, variant 13. */
  static long mix(long number) {
    long first = (number ^ (number >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
    long second = (first ^ (first >>> 27)) * 0x94D0_49BB_1331_11EBL;
    return second ^ (second >>> 31);
  }
}
