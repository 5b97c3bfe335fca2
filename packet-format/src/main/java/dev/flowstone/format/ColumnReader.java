// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketColumnLayout.BASE_OFFSET;
import static dev.flowstone.model.abi.PacketColumnLayout.EXCEPTION_COUNT_OFFSET;
import static dev.flowstone.model.abi.PacketColumnLayout.EXCEPTION_WIDTH_OFFSET;
import static dev.flowstone.model.abi.PacketColumnLayout.WIDTH_OFFSET;

/**
 * Reads one column after the other and refuses any that does not fit the message or contradicts
 * itself.
 */
final class ColumnReader {
  private static final int MAX_WIDTH = 32;

  private int[] exceptionRows = new int[0];
  private int[] exceptionValues = new int[0];

  /**
   * Fills values[0..rows) and returns the offset behind the column's data.
   *
   * @param dataEnd first offset that no column may reach; {@link BitPacking#SLACK_BYTES} readable
   *     bytes follow it
   */
  int read(
      int column,
      byte[] source,
      int descriptorOffset,
      int dataOffset,
      int dataEnd,
      int[] values,
      int rows) {
    final int base = (int) LittleEndian.INT.get(source, descriptorOffset + (int) BASE_OFFSET);
    final int exceptionCount =
        (short) LittleEndian.SHORT.get(source, descriptorOffset + (int) EXCEPTION_COUNT_OFFSET)
            & 0xffff;
    final int width = source[descriptorOffset + (int) WIDTH_OFFSET] & 0xff;
    final int exceptionWidth = source[descriptorOffset + (int) EXCEPTION_WIDTH_OFFSET] & 0xff;
    if (width + exceptionWidth > MAX_WIDTH) {
      throw refused(
          column,
          "width " + width + " and exception width " + exceptionWidth + " are more than 32 bits");
    }
    if (exceptionCount > rows) {
      throw refused(column, exceptionCount + " exceptions in " + rows + " rows");
    }
    final int lowEnd = end(column, dataOffset, BitPacking.lengthBytes(rows, width), dataEnd);
    BitPacking.unpack(source, dataOffset, width, base, values, rows);
    if (exceptionCount == 0) {
      return lowEnd;
    }
    reserve(rows);
    final int highOffset = readExceptionRows(column, source, lowEnd, dataEnd, rows, exceptionCount);
    final int highEnd =
        end(column, highOffset, BitPacking.lengthBytes(exceptionCount, exceptionWidth), dataEnd);
    BitPacking.unpack(source, highOffset, exceptionWidth, 0, exceptionValues, exceptionCount);
    for (int i = 0; i < exceptionCount; i++) {
      values[exceptionRows[i]] +=
          (int) ((long) exceptionValues[i] << width); // as long: width 32 shifts all out
    }
    return highEnd;
  }

  private int readExceptionRows(
      int column, byte[] source, int offset, int dataEnd, int rows, int exceptionCount) {
    final int rowWidth = BitPacking.widthOf(rows - 1);
    if ((long) exceptionCount * rowWidth < rows) {
      final int listEnd =
          end(column, offset, BitPacking.lengthBytes(exceptionCount, rowWidth), dataEnd);
      BitPacking.unpack(source, offset, rowWidth, 0, exceptionRows, exceptionCount);
      requireAscending(column, rows, exceptionCount);
      return listEnd;
    }
    final int bitmapEnd = end(column, offset, BitPacking.lengthBytes(rows, 1), dataEnd);
    int found = 0;
    for (int row = 0; row < rows; row++) {
      if ((source[offset + (row >>> 3)] >>> (row & 7) & 1) != 0) {
        exceptionRows[found++] = row;
      }
    }
    if (found != exceptionCount) {
      throw refused(
          column, "bitmap marks " + found + " exceptions, descriptor says " + exceptionCount);
    }
    return bitmapEnd;
  }

  private void requireAscending(int column, int rows, int exceptionCount) {
    int previous = -1;
    for (int i = 0; i < exceptionCount; i++) {
      final int row = exceptionRows[i];
      if (row <= previous || row >= rows) {
        throw refused(
            column, "exception " + i + " at row " + row + " after row " + previous + " of " + rows);
      }
      previous = row;
    }
  }

  private static int end(int column, int offset, int lengthBytes, int dataEnd) {
    if (lengthBytes > dataEnd - offset) {
      throw refused(
          column,
          lengthBytes
              + " bytes at offset "
              + offset
              + " reach beyond the data's end at "
              + dataEnd);
    }
    return offset + lengthBytes;
  }

  private void reserve(int rows) {
    if (exceptionRows.length < rows) {
      exceptionRows = new int[rows];
      exceptionValues = new int[rows];
    }
  }

  private static PacketBatchException refused(int column, String reason) {
    return new PacketBatchException("column " + column, reason);
  }
}
