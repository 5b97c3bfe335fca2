// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model;

import java.security.SecureRandom;

/**
 * Spreads flows over a table in a way that nobody can foresee who does not know this process. For
 * tables that live in one JVM and are filled with what a network sends: the {@link FlowHash} is
 * public, and whoever sends packets can choose thousands of tuples that share one.
 *
 * <p>Each 64-bit word gives one product of its halves, each moved by a random number; of the sum of
 * the products and one more random number the upper 32 bits count. Of two different tuples these
 * are as good as independent, whichever the tuples are (pair-multiply-shift, strongly universal).
 *
 * <p>The numbers are drawn when the class is loaded: a hash means nothing in another process, nor
 * after a restart, and must not be stored or sent. Costs five multiplications that do not wait for
 * one another, and no object; any thread.
 */
public final class TupleHash {
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

  /** Products alone are even more often than odd: without it no hash is quite by chance. */
  private static final long ADDED = RANDOM.nextLong();

  private static final long LOWER = 0xffff_ffffL;
  private static final int SPREAD = 0x9e3779b9;

  private TupleHash() {}

  /**
   * The hash of endpoints A and B in this order; a caller for whom both directions are one flow
   * orders them first. All 32 bits are good, whichever a table takes.
   *
   * @param aHigh upper half of A's address; in any byte order, as long as it is always the same
   * @param aLow lower half of A's address
   * @param bHigh upper half of B's address
   * @param bLow lower half of B's address
   * @param rest all of the tuple that is not an address, its bits where the caller likes: what is
   *     left out, such as the protocol, a sender can vary and meet the same slot
   */
  public static int of(long aHigh, long aLow, long bHigh, long bLow, long rest) {
    long sum =
        product(aHigh, A_HIGH_LOWER, A_HIGH_UPPER)
            + product(aLow, A_LOW_LOWER, A_LOW_UPPER)
            + product(bHigh, B_HIGH_LOWER, B_HIGH_UPPER)
            + product(bLow, B_LOW_LOWER, B_LOW_UPPER)
            + product(rest, REST_LOWER, REST_UPPER)
            + ADDED;
    int upper = (int) (sum >>> Integer.SIZE);
    // Tuples in a row, as of a scan, would stay in a row, and rows could overlap: break them up.
    int broken = (upper ^ upper >>> 15) * SPREAD;
    // A product's low bits know nothing of the high ones.
    return broken ^ broken >>> 16;
  }

  private static long product(long word, long lower, long upper) {
    return ((word & LOWER) + lower) * ((word >>> Integer.SIZE) + upper);
  }
}
