// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import java.util.Arrays;

/**
 * Chooses how wide the slots of a column are: the width whose slots and exceptions together take
 * the fewest bits. Reused from column to column; the results stand in the fields until the next
 * call.
 */
final class ColumnWidths {
  /** Widths 0 to 32. */
  private static final int WIDTHS = 33;

  /**
   * Neighbouring values are often alike; counting them apart keeps one increment from waiting for
   * the other.
   */
  private static final int LANES = 2;

  /** Of a column that has so many; never twice as many. */
  private static final int FEWEST_SAMPLES = 256;

  /** What looking for exceptions takes for each row, in bits that are worth that time. */
  private static final int SEARCH_COST = 1;

  private static final int EXCEPTION_COST = 2;

  private final int[] valuesOfWidth = new int[WIDTHS * LANES];

  /** The widths that occur, from the narrowest on, and how many values are wider. */
  private final int[] occurring = new int[WIDTHS];

  private final int[] wider = new int[WIDTHS];

  int base;
  int width;

  /** Whether some value needs more than width bits. */
  boolean hasExceptions;

  /**
   * @param levels columns within one another that there may be, this one included
   */
  void choose(int[] values, int rows, int levels) {
    final int widest = BitPacking.widthOf(chooseBase(values, rows));
    width = widest;
    hasExceptions = false;
    if (levels > 1 && widest > 0) {
      chooseWidth(values, rows, widest, levels);
    }
    if (width == Integer.SIZE) {
      base = 0; // all values fit as they are
    }
  }

  /**
   * Sets base to the smallest unsigned value, where that saves more bits than it takes, and returns
   * the largest value above it. Two plain loops, of which the JIT makes vectors; of one loop for
   * both it makes none.
   */
  private int chooseBase(int[] values, int rows) {
    if (rows == 0) {
      base = 0;
      return 0;
    }
    final int smallest = smallest(values, rows) ^ Integer.MIN_VALUE;
    final int largest = largest(values, rows) ^ Integer.MIN_VALUE;
    final boolean pays = (long) rows * BitPacking.widthOf(smallest) > Integer.SIZE;
    base = pays ? smallest : 0;
    return largest - base;
  }

  /** The signed order of values with their highest bit flipped is the unsigned order of values. */
  private static int smallest(int[] values, int rows) {
    int smallest = Integer.MAX_VALUE;
    for (int i = 0; i < rows; i++) {
      smallest = Math.min(smallest, values[i] ^ Integer.MIN_VALUE);
    }
    return smallest;
  }

  private static int largest(int[] values, int rows) {
    int largest = Integer.MIN_VALUE;
    for (int i = 0; i < rows; i++) {
      largest = Math.max(largest, values[i] ^ Integer.MIN_VALUE);
    }
    return largest;
  }

  private void chooseWidth(int[] values, int rows, int widest, int levels) {
    final int sampleCount = countWidths(values, rows);
    final int widths = listWidths(rows, sampleCount, widest);
    final int rowWidth = BitPacking.widthOf(rows - 1);
    long lowestCost = (long) rows * widest;
    for (int i = 0; i < widths; i++) {
      final int candidate = occurring[i];
      final long exceptions = wider[i];
      final long cost =
          (long) rows * (candidate + SEARCH_COST)
              + Math.min(exceptions * rowWidth, rows)
              + exceptions * EXCEPTION_COST
              + highBits(i, widths, widest, levels - 1);
      if (cost < lowestCost) {
        lowestCost = cost;
        width = candidate;
        hasExceptions = true;
      }
    }
  }

  /** Bits of the high parts of what is wider than width i, as a column of their own. */
  private long highBits(int i, int widths, int widest, int levels) {
    final long rows = wider[i];
    long lowest = rows * (widest - occurring[i]);
    if (levels > 1) {
      final int rowWidth = BitPacking.widthOf((int) rows - 1);
      for (int j = i + 1; j < widths; j++) {
        final long exceptions = wider[j];
        final long bits =
            rows * (occurring[j] - occurring[i])
                + Math.min(exceptions * rowWidth, rows)
                + exceptions * (EXCEPTION_COST + widest - occurring[j]);
        lowest = Math.min(lowest, bits);
      }
    }
    return lowest;
  }

  /** Counts a sample: the width that fits every n-th value fits the rest well enough. */
  private int countWidths(int[] values, int rows) {
    final int[] counts = valuesOfWidth;
    final int base = this.base;
    final int stride = Math.max(1, rows / FEWEST_SAMPLES);
    Arrays.fill(counts, 0);
    int i = 0;
    for (; i + stride < rows; i += LANES * stride) {
      counts[BitPacking.widthOf(values[i] - base)]++;
      counts[BitPacking.widthOf(values[i + stride] - base) + WIDTHS]++;
    }
    int sampleCount = i / stride;
    if (i < rows) {
      counts[BitPacking.widthOf(values[i] - base)]++;
      sampleCount++;
    }
    return sampleCount;
  }

  /** Lists the widths of the sample that are less than the widest, scaled to all rows. */
  private int listWidths(int rows, int sampleCount, int widest) {
    final float scale = (float) rows / sampleCount;
    int widths = 0;
    int left = sampleCount;
    for (int candidate = 0; candidate < widest; candidate++) {
      final int count = valuesOfWidth[candidate] + valuesOfWidth[candidate + WIDTHS];
      left -= count;
      if (count > 0) {
        occurring[widths] = candidate;
        wider[widths++] = Math.max(1, (int) (left * scale));
      }
    }
    return widths;
  }
}
