// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

/**
 * The smallest and the largest gap between some packets, in three words of an array: time of the
 * last packet, smallest gap, largest gap.
 */
final class FlowGaps {
  static final int WORDS = 3;

  private static final int LAST_NS = 0;
  private static final int MIN_GAP_NS = 1;
  private static final int MAX_GAP_NS = 2;

  /** Time of the last packet when there was none. */
  private static final long NONE = Long.MIN_VALUE;

  private FlowGaps() {}

  static void reset(long[] words, int gaps) {
    words[gaps + LAST_NS] = NONE;
    words[gaps + MIN_GAP_NS] = Long.MAX_VALUE;
    words[gaps + MAX_GAP_NS] = Long.MIN_VALUE;
  }

  static void add(long[] words, int gaps, long timeNs) {
    long lastNs = words[gaps + LAST_NS];
    words[gaps + LAST_NS] = timeNs;
    if (lastNs != NONE) {
      long gapNs = timeNs - lastNs;
      words[gaps + MIN_GAP_NS] = Math.min(words[gaps + MIN_GAP_NS], gapNs);
      words[gaps + MAX_GAP_NS] = Math.max(words[gaps + MAX_GAP_NS], gapNs);
    }
  }

  static long lastNs(long[] words, int gaps) {
    return words[gaps + LAST_NS];
  }

  /** Meaningless below two packets, as is the largest gap. */
  static long minGapNs(long[] words, int gaps) {
    return words[gaps + MIN_GAP_NS];
  }

  static long maxGapNs(long[] words, int gaps) {
    return words[gaps + MAX_GAP_NS];
  }
}
