// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import java.util.Arrays;

/**
 * Which of the latest sequence numbers have come, so that a second one can be told from one that
 * comes too late. One thread.
 */
final class RecentSequences {
  /** More than a network delays any by; of older ones nobody knows, and they count as late. */
  static final int REMEMBERED = 1 << 12;

  private static final int WORDS = REMEMBERED / Long.SIZE;

  private final long[] came = new long[WORDS];

  /** Whether one that is at most {@link #REMEMBERED} behind the next has come. */
  boolean hasCome(long sequence, long next) {
    return next - sequence <= REMEMBERED && (came[word(sequence)] & bit(sequence)) != 0;
  }

  void noteCome(long sequence) {
    came[word(sequence)] |= bit(sequence);
  }

  /** None from one number up to before another has come, however many these are. */
  void noteMissing(long from, long end) {
    for (long each = Math.max(from, end - REMEMBERED); each < end; each++) {
      came[word(each)] &= ~bit(each);
    }
  }

  void clear() {
    Arrays.fill(came, 0);
  }

  private static int word(long sequence) {
    return (int) (sequence / Long.SIZE) & WORDS - 1;
  }

  private static long bit(long sequence) {
    return 1L << sequence;
  }
}
