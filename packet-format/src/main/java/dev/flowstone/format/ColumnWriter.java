// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketColumnLayout.HAS_BASE_SHIFT;
import static dev.flowstone.model.abi.PacketColumnLayout.HAS_EXCEPTIONS_SHIFT;
import static dev.flowstone.model.abi.PacketColumnLayout.LEVELS;

import java.util.Arrays;

/** Writes one column after the other, and the columns within them. Owns only scratch space. */
final class ColumnWriter {
  /** A sparse column has many values where more than one row in so many has one. */
  private static final int MANY = 4;

  private final ColumnWidths widths = new ColumnWidths();

  /** Exceptions of the columns at each level but the innermost. */
  private final int[][] exceptionRows = new int[LEVELS - 1][];

  private final int[][] exceptionValues = new int[LEVELS - 1][];
  private final int[] filled;

  ColumnWriter(int maxRows) {
    for (int level = 0; level < LEVELS - 1; level++) {
      exceptionRows[level] = new int[maxRows + 1];
      exceptionValues[level] = new int[maxRows + 1];
    }
    filled = new int[maxRows];
  }

  /** Writes a column and returns the offset behind it. */
  int write(int[] values, int rows, byte[] target, int offset) {
    return write(0, values, rows, target, offset);
  }

  /** The same for a sparse column: all but its zeros are exceptions, unless they are many. */
  int write(SparseColumn column, int rows, byte[] target, int offset) {
    if (column.count() > rows / MANY) {
      return write(0, fill(column, rows), rows, target, offset);
    }
    target[offset] = shape(0, 0, column.count() > 0);
    return column.count() == 0
        ? offset + 1
        : writeExceptions(0, column.rows, column.values, column.count(), rows, target, offset + 1);
  }

  private int[] fill(SparseColumn column, int rows) {
    Arrays.fill(filled, 0, rows, 0);
    for (int i = 0; i < column.count(); i++) {
      filled[column.rows[i]] = column.values[i];
    }
    return filled;
  }

  private int write(int level, int[] values, int rows, byte[] target, int offset) {
    widths.choose(values, rows, LEVELS - level);
    final int base = widths.base;
    final int width = widths.width;
    final boolean hasExceptions = widths.hasExceptions;
    target[offset] = shape(width, base, hasExceptions);
    int end = offset + 1;
    if (base != 0) {
      LittleEndian.INT.set(target, end, base);
      end += Integer.BYTES;
    }
    end = BitPacking.pack(values, rows, base, width, target, end);
    if (!hasExceptions) {
      return end;
    }
    final int[] exceptionRows = this.exceptionRows[level];
    final int[] exceptionValues = this.exceptionValues[level];
    final int count = collect(values, rows, base, width, exceptionRows, exceptionValues);
    return writeExceptions(level, exceptionRows, exceptionValues, count, rows, target, end);
  }

  private static byte shape(int width, int base, boolean hasExceptions) {
    return (byte)
        (width
            | (base != 0 ? 1 << HAS_BASE_SHIFT : 0)
            | (hasExceptions ? 1 << HAS_EXCEPTIONS_SHIFT : 0));
  }

  /**
   * Gathers rows and high bits of the exceptions and counts them; width is less than 32. What is
   * none is written over by the next row: no branch depends on a value.
   */
  private static int collect(
      int[] values, int rows, int base, int width, int[] exceptionRows, int[] exceptionValues) {
    int count = 0;
    for (int i = 0; i < rows; i++) {
      final int high = (values[i] - base) >>> width;
      exceptionRows[count] = i;
      exceptionValues[count] = high;
      count += (high | -high) >>> 31;
    }
    return count;
  }

  private int writeExceptions(
      int level,
      int[] exceptionRows,
      int[] exceptionValues,
      int count,
      int rows,
      byte[] target,
      int offset) {
    LittleEndian.SHORT.set(target, offset, (short) count);
    final int rowsOffset = offset + Short.BYTES;
    final int rowWidth = BitPacking.widthOf(rows - 1);
    final int valuesOffset =
        (long) count * rowWidth < rows
            ? BitPacking.pack(exceptionRows, count, 0, rowWidth, target, rowsOffset)
            : writeBitmap(exceptionRows, count, rows, target, rowsOffset);
    return write(level + 1, exceptionValues, count, target, valuesOffset);
  }

  private static int writeBitmap(
      int[] exceptionRows, int count, int rows, byte[] target, int offset) {
    final int end = offset + BitPacking.lengthBytes(rows, 1);
    Arrays.fill(target, offset, end, (byte) 0);
    for (int i = 0; i < count; i++) {
      final int row = exceptionRows[i];
      target[offset + (row >>> 3)] |= (byte) (1 << (row & 7));
    }
    return end;
  }
}
