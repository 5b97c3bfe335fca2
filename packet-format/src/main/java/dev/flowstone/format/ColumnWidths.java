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

  /** Columns from this length on are sampled. */
  private static final int SAMPLED_ROWS = 256;

  private static final int SAMPLE_STRIDE = 4;

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
   * Sets base to the smallest unsigned value and returns the largest value above it. The JIT makes
   * vectors of this.
   */
  private int chooseBase(int[] values, int rows) {
    int smallest = rows == 0 ? Integer.MIN_VALUE : Integer.MAX_VALUE;
    int largest = Integer.MIN_VALUE;
    for (int i = 0; i < rows; i++) {
      final int ordered =
          values[i] ^ Integer.MIN_VALUE; // signed order of these is unsigned order of the values
      smallest = Math.min(smallest, ordered);
      largest = Math.max(largest, ordered);
    }
    base = smallest ^ Integer.MIN_VALUE;
    return largest - smallest;
  }

  /**
   * Counts a sample of long columns: the width that fits every fourth value fits the rest well
   * enough.
   */
  private void countWidths(int[] values, int rows) {
    final int[] counts = valuesOfWidth;
    final int base = this.base;
    final int stride = rows >= SAMPLED_ROWS ? SAMPLE_STRIDE : 1;
    Arrays.fill(counts, 0);
    int i = 0;
    for (; i + stride < rows; i += 2 * stride) {
      counts[BitPacking.widthOf(values[i] - base)]++;
      counts[BitPacking.widthOf(values[i + stride] - base) + WIDTHS]++;
    }
    sampleCount = (i / stride) + (i < rows ? 1 : 0);
    if (i < rows) {
      counts[BitPacking.widthOf(values[i] - base)]++;
    }
  }

  private void chooseWidth(int rows, int widest) {
    final int[] counts = valuesOfWidth;
    final int rowWidth = BitPacking.widthOf(rows - 1);
    final float scale = (float) rows / sampleCount;
    width = widest;
    long fewestBits = (long) rows * widest;
    int wider = 0;
    for (int candidate = widest - 1; candidate >= 0; candidate--) {
      final int of = candidate + 1;
      wider += counts[of] + counts[of + WIDTHS];
      final long exceptions = (long) (wider * scale);
      final long placeBits = Math.min(exceptions * rowWidth, rows);
      final long bits = (long) rows * candidate + placeBits + exceptions * (widest - candidate);
      if (bits < fewestBits) {
        fewestBits = bits;
        width = candidate;
        exceptionWidth = widest - candidate;
      }
    }
  }
}
