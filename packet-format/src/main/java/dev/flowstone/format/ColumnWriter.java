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
  private final ColumnWidths widths = new ColumnWidths();
  private final int[] exceptionRows;
  private final int[] exceptionValues;

  ColumnWriter(int maxRows) {
    exceptionRows = new int[maxRows + 1];
    exceptionValues = new int[maxRows + 1];
  }

  /**
   * Writes the descriptor at its place and the data at dataOffset; returns the offset behind the
   * data.
   */
  int write(int[] values, int rows, byte[] target, int descriptorOffset, int dataOffset) {
    widths.choose(values, rows);
    final int exceptionCount = widths.exceptionWidth == 0 ? 0 : collectExceptions(values, rows);
    LittleEndian.INT.set(target, descriptorOffset + (int) BASE_OFFSET, widths.base);
    LittleEndian.SHORT.set(
        target, descriptorOffset + (int) EXCEPTION_COUNT_OFFSET, (short) exceptionCount);
    target[descriptorOffset + (int) WIDTH_OFFSET] = (byte) widths.width;
    target[descriptorOffset + (int) EXCEPTION_WIDTH_OFFSET] = (byte) widths.exceptionWidth;

    final int end = BitPacking.pack(values, rows, widths.base, widths.width, target, dataOffset);
    return exceptionCount == 0 ? end : writeExceptions(exceptionCount, rows, target, end);
  }

  private int writeExceptions(int count, int rows, byte[] target, int offset) {
    final int rowWidth = BitPacking.widthOf(rows - 1);
    final int valuesOffset =
        (long) count * rowWidth < rows
            ? BitPacking.pack(exceptionRows, count, 0, rowWidth, target, offset)
            : writeBitmap(rows, count, target, offset);
    return BitPacking.pack(exceptionValues, count, 0, widths.exceptionWidth, target, valuesOffset);
  }

  /**
   * Without a branch that depends on the data: the place behind the last exception is written again
   * and again.
   */
  private int collectExceptions(int[] values, int rows) {
    final int[] exceptionRows = this.exceptionRows;
    final int[] exceptionValues = this.exceptionValues;
    final int base = widths.base;
    final int width = widths.width;
    int count = 0;
    for (int i = 0; i < rows; i++) {
      final int high = (values[i] - base) >>> width; // width < 32 where there are exceptions
      exceptionRows[count] = i;
      exceptionValues[count] = high;
      count += (high | -high) >>> 31;
    }
    return count;
  }

  private int writeBitmap(int rows, int count, byte[] target, int offset) {
    final int end = offset + BitPacking.lengthBytes(rows, 1);
    Arrays.fill(target, offset, end, (byte) 0);
    for (int i = 0; i < count; i++) {
      final int row = exceptionRows[i];
      target[offset + (row >>> 3)] |= (byte) (1 << (row & 7));
    }
    return end;
  }
}
