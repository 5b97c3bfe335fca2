// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketColumnLayout.BASE_OFFSET;
import static dev.flowstone.model.abi.PacketColumnLayout.EXCEPTION_COUNT_OFFSET;
import static dev.flowstone.model.abi.PacketColumnLayout.EXCEPTION_WIDTH_OFFSET;
import static dev.flowstone.model.abi.PacketColumnLayout.WIDTH_OFFSET;

import java.util.Arrays;

/**
 * Writes one column after the other: its descriptor, its slots, its exceptions. Owns only scratch
 * space.
 */
final class ColumnWriter {
  /** Rows that are searched for exceptions at a time. */
  private static final int GROUP = 8;

  /** A sparse column has many values where more than one row in so many has one. */
  private static final int MANY = 4;

  private final ColumnWidths widths = new ColumnWidths();
  private final int[] exceptionRows;
  private final int[] exceptionValues;
  private final byte[] marks;
  private final int[] filled;

  ColumnWriter(int maxRows) {
    exceptionRows = new int[maxRows + 1];
    exceptionValues = new int[maxRows + 1];
    filled = new int[maxRows];
    marks = new byte[maxRows + GROUP];
  }

  /**
   * Writes the descriptor at its place and the data at dataOffset; returns the offset behind the
   * data.
   */
  int write(int[] values, int rows, byte[] target, int descriptorOffset, int dataOffset) {
    widths.choose(values, rows);
    final int exceptionCount = widths.exceptionWidth == 0 ? 0 : collectExceptions(values, rows);
    describe(
        widths.base, widths.width, exceptionCount, widths.exceptionWidth, target, descriptorOffset);
    final int end = BitPacking.pack(values, rows, widths.base, widths.width, target, dataOffset);
    return exceptionCount == 0
        ? end
        : writeExceptions(
            exceptionRows,
            exceptionValues,
            exceptionCount,
            widths.exceptionWidth,
            rows,
            target,
            end);
  }

  /** The same for a sparse column: all but its zeros are exceptions, unless they are many. */
  int write(SparseColumn column, int rows, byte[] target, int descriptorOffset, int dataOffset) {
    if (column.count() > rows / MANY) {
      return write(fill(column, rows), rows, target, descriptorOffset, dataOffset);
    }
    describe(0, 0, column.count(), column.width(), target, descriptorOffset);
    return column.count() == 0
        ? dataOffset
        : writeExceptions(
            column.rows, column.values, column.count(), column.width(), rows, target, dataOffset);
  }

  private int[] fill(SparseColumn column, int rows) {
    Arrays.fill(filled, 0, rows, 0);
    for (int i = 0; i < column.count(); i++) {
      filled[column.rows[i]] = column.values[i];
    }
    return filled;
  }

  private static void describe(
      int base, int width, int exceptionCount, int exceptionWidth, byte[] target, int offset) {
    LittleEndian.INT.set(target, offset + (int) BASE_OFFSET, base);
    LittleEndian.SHORT.set(target, offset + (int) EXCEPTION_COUNT_OFFSET, (short) exceptionCount);
    target[offset + (int) WIDTH_OFFSET] = (byte) width;
    target[offset + (int) EXCEPTION_WIDTH_OFFSET] = (byte) exceptionWidth;
  }

  private static int writeExceptions(
      int[] exceptionRows,
      int[] exceptionValues,
      int count,
      int exceptionWidth,
      int rows,
      byte[] target,
      int offset) {
    final int rowWidth = BitPacking.widthOf(rows - 1);
    final int valuesOffset =
        (long) count * rowWidth < rows
            ? BitPacking.pack(exceptionRows, count, 0, rowWidth, target, offset)
            : writeBitmap(exceptionRows, count, rows, target, offset);
    return BitPacking.pack(exceptionValues, count, 0, exceptionWidth, target, valuesOffset);
  }

  /** Gathers rows and high bits of the exceptions; most groups have none. */
  private int collectExceptions(int[] values, int rows) {
    final byte[] marks = this.marks;
    final int base = widths.base;
    final int width = widths.width;
    markExceptions(values, rows, base, width);
    int count = 0;
    for (int i = 0; i < rows; i += GROUP) {
      for (long left = (long) LittleEndian.LONG.get(marks, i); left != 0; left &= left - 1) {
        final int row = i + (Long.numberOfTrailingZeros(left) >>> 3);
        exceptionRows[count] = row;
        exceptionValues[count++] = (values[row] - base) >>> width;
      }
    }
    return count;
  }

  /** One byte for each row: 1 for an exception. The JIT makes vectors of this loop. */
  private void markExceptions(int[] values, int rows, int base, int width) {
    final byte[] marks = this.marks;
    for (int i = 0; i < rows; i++) {
      final int high = (values[i] - base) >>> width; // width < 32 where there are exceptions
      marks[i] = (byte) ((high | -high) >>> 31);
    }
    LittleEndian.LONG.set(marks, rows, 0L);
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
