// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

/**
 * Draws ranks 0 to n-1, rank r with a weight of 1 / (r + 1), in constant time: Walker's alias
 * table, one word per rank. A draw takes the column's own rank if its coin is below the column's
 * threshold, else the column's alias.
 *
 * <pre>
 *   63           32 31      0
 *   | threshold    | alias  |
 * </pre>
 */
final class ZipfPicker {
  private static final int COIN_BITS = 20;
  private static final int COIN_SHIFT = 10;

  private final long[] columns;

  ZipfPicker(int ranks) {
    columns = new long[ranks];
    double[] share = shares(ranks);
    int[] work = new int[ranks];
    int small = 0;
    int large = ranks;
    for (int i = 0; i < ranks; i++) {
      share[i] *= ranks;
      work[share[i] < 1 ? small++ : --large] = i;
    }
    // Each turn fills up one small column with a part of a large one.
    while (small > 0 && large < ranks) {
      int poor = work[--small];
      int rich = work[large];
      columns[poor] = column(share[poor], rich);
      share[rich] -= 1 - share[poor];
      if (share[rich] < 1) {
        large++;
        work[small++] = rich;
      }
    }
    while (large < ranks) {
      columns[work[large]] = column(1, work[large]);
      large++;
    }
    while (small > 0) {
      small--;
      columns[work[small]] = column(1, work[small]);
    }
  }

  /** The share of draws that each rank gets. */
  static double[] shares(int ranks) {
    double[] shares = new double[ranks];
    double sum = 0;
    for (int i = 0; i < ranks; i++) {
      shares[i] = 1.0 / (i + 1);
      sum += shares[i];
    }
    for (int i = 0; i < ranks; i++) {
      shares[i] /= sum;
    }
    return shares;
  }

  private static long column(double threshold, int alias) {
    return (Math.round(threshold * (1 << COIN_BITS)) << Integer.SIZE) | alias;
  }

  /** Uses the upper 32 bits of the random number and the 20 above its lowest ten. */
  int pick(long random) {
    int column = (int) (((random >>> Integer.SIZE) * columns.length) >>> Integer.SIZE);
    long entry = columns[column];
    long coin = (random >>> COIN_SHIFT) & ((1 << COIN_BITS) - 1);
    return coin < (entry >>> Integer.SIZE) ? column : (int) entry;
  }
}
