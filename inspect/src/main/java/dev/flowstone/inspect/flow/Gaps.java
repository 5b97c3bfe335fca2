// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.flow;

/**
 * Times between a flow's packets.
 *
 * @param count how many gaps
 * @param minNs the smallest, may be negative; null without a gap
 * @param maxNs the largest; null without a gap
 */
public record Gaps(long count, Long minNs, Long maxNs) {
  public static final Gaps NONE = new Gaps(0, null, null);

  /** The gaps of {@code count} times in ascending order. */
  static Gaps ofSorted(long[] timesNs, int count) {
    if (count < 2) {
      return NONE;
    }
    long minNs = Long.MAX_VALUE;
    long maxNs = Long.MIN_VALUE;
    for (int i = 1; i < count; i++) {
      long gapNs = timesNs[i] - timesNs[i - 1];
      minNs = Math.min(minNs, gapNs);
      maxNs = Math.max(maxNs, gapNs);
    }
    return new Gaps(count - 1L, minNs, maxNs);
  }
}
