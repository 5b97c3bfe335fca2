// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

/**
 * A small seeded random number generator (xorshift64*): one multiplication per number, no
 * allocation.
 */
final class XorShift {
  private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

  private long state;

  XorShift(long seed) {
    state = scramble(seed + GOLDEN_RATIO);
    if (state == 0) {
      state = GOLDEN_RATIO; // zero is the one state xorshift never leaves
    }
  }

  long nextLong() {
    long x = state;
    x ^= x >>> 12;
    x ^= x << 25;
    x ^= x >>> 27;
    state = x;
    return x * 0x2545F4914F6CDD1DL;
  }

  /** Uniform in [0, bound) up to a bias of bound / 2^32. */
  int nextInt(int bound) {
    return (int) (((nextLong() >>> 32) * bound) >>> 32);
  }

  /** Uniform in [low, high], both included. */
  int between(int low, int high) {
    return low + nextInt(high - low + 1);
  }

  /** SplitMix64's finaliser: neighbouring seeds become unrelated states. */
  static long scramble(long value) {
    long z = value;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
