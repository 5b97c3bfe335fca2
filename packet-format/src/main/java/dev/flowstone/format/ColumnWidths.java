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

  private int sampleCount;

  int base;
  int width;
  int exceptionWidth;

  void choose(int[] values, int rows) {
    width = 0;
    exceptionWidth = 0;
    final int largest = chooseBase(values, rows);
    final int widest = BitPacking.widthOf(largest);
    if (widest > 0) {
      countWidths(values, rows);
      chooseWidth(rows, widest);
    }
  }

  /**
   * Sets base to the smallest unsigned value and returns the largest value above it. Two plain
   * loops, of which the JIT makes vectors; of one loop for both it makes none.
   */
  private int chooseBase(int[] values, int rows) {
    if (rows == 0) {
      base = 0;
      return 0;
    }
    final int smallest = smallest(values, rows);
    base = smallest ^ Integer.MIN_VALUE;
    return largest(values, rows) - smallest;
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

  /** Counts a sample: the width that fits every n-th value fits the rest well enough. */
  private void countWidths(int[] values, int rows) {
    final int[] counts = valuesOfWidth;
    final int base = this.base;
    final int stride = Math.max(1, rows / FEWEST_SAMPLES);
    Arrays.fill(counts, 0);
    int i = 0;
    for (; i + stride < rows; i += LANES * stride) {
      counts[BitPacking.widthOf(values[i] - base)]++;
      counts[BitPacking.widthOf(values[i + stride] - base) + WIDTHS]++;
    }
    sampleCount = i / stride;
    if (i < rows) {
      counts[BitPacking.widthOf(values[i] - base)]++;
      sampleCount++;
    }
  }

  /** An exception costs its bits and the time to set it apart; time is counted as bits, too. */
  private void chooseWidth(int rows, int widest) {
    final int[] counts = valuesOfWidth;
    final int rowWidth = BitPacking.widthOf(rows - 1);
    final float scale = (float) rows / sampleCount;
    width = widest;
    long lowestCost = (long) rows * widest;
    int wider = 0;
    for (int candidate = widest - 1; candidate >= 0; candidate--) {
      final int of = candidate + 1;
      wider += counts[of] + counts[of + WIDTHS];
      final long exceptions = (long) (wider * scale);
      final long placeBits = Math.min(exceptions * rowWidth, rows);
      final long bits = (long) rows * candidate + placeBits + exceptions * (widest - candidate);
      final long cost = bits + (long) rows * SEARCH_COST + exceptions * EXCEPTION_COST;
      if (cost < lowestCost) {
        lowestCost = cost;
        width = candidate;
        exceptionWidth = widest - candidate;
      }
    }
  }
}
