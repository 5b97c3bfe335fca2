// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import java.security.SecureRandom;

/**
 * Spreads flows over a table in a way that nobody can foresee who does not know this process: the
 * flow hash is public, and whoever sends packets can choose thousands of tuples that share one.
 *
 * <p>Each 64-bit word gives one product of its halves, each moved by a random number; of the sum of
 * the products the upper 32 bits count. Of two different tuples these are as good as independent,
 * whichever the tuples are (pair-multiply-shift, strongly universal).
 */
final class TupleHash {
  private static final SecureRandom RANDOM = new SecureRandom();

  private static final long A_HIGH_LOWER = RANDOM.nextLong();
  private static final long A_HIGH_UPPER = RANDOM.nextLong();
  private static final long A_LOW_LOWER = RANDOM.nextLong();
  private static final long A_LOW_UPPER = RANDOM.nextLong();
  private static final long B_HIGH_LOWER = RANDOM.nextLong();
  private static final long B_HIGH_UPPER = RANDOM.nextLong();
  private static final long B_LOW_LOWER = RANDOM.nextLong();
  private static final long B_LOW_UPPER = RANDOM.nextLong();
  private static final long REST_LOWER = RANDOM.nextLong();
  private static final long REST_UPPER = RANDOM.nextLong();

  private static final long LOWER = 0xffff_ffffL;
  private static final int SPREAD = 0x9e3779b9;

  private TupleHash() {}

  /**
   * All 32 bits are good.
   *
   * @param rest all of the tuple that is not an address
   */
  static int of(long aHigh, long aLow, long bHigh, long bLow, long rest) {
    final long sum =
        product(aHigh, A_HIGH_LOWER, A_HIGH_UPPER)
            + product(aLow, A_LOW_LOWER, A_LOW_UPPER)
            + product(bHigh, B_HIGH_LOWER, B_HIGH_UPPER)
            + product(bLow, B_LOW_LOWER, B_LOW_UPPER)
            + product(rest, REST_LOWER, REST_UPPER);
    final int upper = (int) (sum >>> Integer.SIZE);
    // Tuples in a row, as of a scan, would stay in a row, and rows could overlap: break them up.
    return (upper ^ upper >>> 15) * SPREAD;
  }

  private static long product(long word, long lower, long upper) {
    return ((word & LOWER) + lower) * ((word >>> Integer.SIZE) + upper);
  }
}
