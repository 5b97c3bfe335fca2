// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketColumn2Layout.BASE_OFFSET;
import static dev.flowstone.model.abi.PacketColumn2Layout.EXCEPTION_COUNT_OFFSET;
import static dev.flowstone.model.abi.PacketColumn2Layout.EXCEPTION_WIDTH_OFFSET;
import static dev.flowstone.model.abi.PacketColumn2Layout.WIDTH_OFFSET;
import static dev.flowstone.model.abi.PacketColumnLayout.HAS_BASE_SHIFT;
import static dev.flowstone.model.abi.PacketColumnLayout.HAS_EXCEPTIONS_SHIFT;
import static dev.flowstone.model.abi.PacketColumnLayout.LEVELS;
import static dev.flowstone.model.abi.PacketColumnLayout.WIDTH_MASK;

/**
 * Reads the columns of one message, one after the other, and refuses any that does not fit the
 * message or contradicts itself.
 */
final class ColumnReader {
  private static final int MAX_WIDTH = 32;

  /** Exceptions of the columns at each level but the innermost. */
  private final int[][] exceptionRows = new int[LEVELS - 1][0];

  private final int[][] exceptionValues = new int[LEVELS - 1][0];

  private byte[] source;
  private int at;
  private int end;
  private int column;

  /**
   * Begins a message.
   *
   * @param end first offset that no column may reach; {@link BitPacking#SLACK_BYTES} readable bytes
   *     follow it
   */
  void begin(byte[] source, int offset, int end) {
    this.source = source;
    this.end = end;
    at = offset;
  }

  /** Where the next column begins, or the last one ended. */
  int offset() {
    return at;
  }

  /** Reads the next column into values[0..rows); its number is for what is told of it. */
  void read(int column, int[] values, int rows) {
    this.column = column;
    read(0, MAX_WIDTH, values, rows);
  }

  private void read(int level, int mostWidth, int[] values, int rows) {
    final int shape = source[take(1)];
    final int width = shape & WIDTH_MASK;
    if (width > mostWidth) {
      throw refused("width " + width + " where at most " + mostWidth + " bits are left");
    }
    final int base =
        (shape >>> HAS_BASE_SHIFT & 1) == 0
            ? 0
            : (int) LittleEndian.INT.get(source, take(Integer.BYTES));
    BitPacking.unpack(source, take(BitPacking.lengthBytes(rows, width)), width, base, values, rows);
    if ((shape >>> HAS_EXCEPTIONS_SHIFT & 1) != 0) {
      readExceptions(level, width, mostWidth - width, values, rows);
    }
  }

  private void readExceptions(int level, int width, int widthLeft, int[] values, int rows) {
    if (level == LEVELS - 1) {
      throw refused("more than " + LEVELS + " columns within one another");
    }
    final int count = (short) LittleEndian.SHORT.get(source, take(Short.BYTES)) & 0xffff;
    if (count == 0 || count > rows) {
      throw refused(count + " exceptions in " + rows + " rows");
    }
    reserve(level, rows);
    readExceptionRows(exceptionRows[level], rows, count);
    read(level + 1, widthLeft, exceptionValues[level], count);
    addExceptions(level, width, values, count);
  }

  /**
   * Reads a column of versions 1 and 2, whose descriptor lies elsewhere; the next column's data are
   * at {@link #offset}.
   */
  void readVersion2(int column, int descriptorOffset, int[] values, int rows) {
    this.column = column;
    final int base = (int) LittleEndian.INT.get(source, descriptorOffset + (int) BASE_OFFSET);
    final int count =
        (short) LittleEndian.SHORT.get(source, descriptorOffset + (int) EXCEPTION_COUNT_OFFSET)
            & 0xffff;
    final int width = source[descriptorOffset + (int) WIDTH_OFFSET] & 0xff;
    final int highWidth = source[descriptorOffset + (int) EXCEPTION_WIDTH_OFFSET] & 0xff;
    if (width + highWidth > MAX_WIDTH) {
      throw refused(
          "width " + width + " and exception width " + highWidth + " are more than 32 bits");
    }
    if (count > rows) {
      throw refused(count + " exceptions in " + rows + " rows");
    }
    BitPacking.unpack(source, take(BitPacking.lengthBytes(rows, width)), width, base, values, rows);
    if (count > 0) {
      reserve(0, rows);
      readExceptionRows(exceptionRows[0], rows, count);
      final int highOffset = take(BitPacking.lengthBytes(count, highWidth));
      BitPacking.unpack(source, highOffset, highWidth, 0, exceptionValues[0], count);
      addExceptions(0, width, values, count);
    }
  }

  private void addExceptions(int level, int width, int[] values, int count) {
    final int[] exceptionRows = this.exceptionRows[level];
    final int[] exceptionValues = this.exceptionValues[level];
    for (int i = 0; i < count; i++) {
      values[exceptionRows[i]] +=
          (int) ((long) exceptionValues[i] << width); // as long: width 32 shifts all out
    }
  }

  private void readExceptionRows(int[] exceptionRows, int rows, int count) {
    final int rowWidth = BitPacking.widthOf(rows - 1);
    if ((long) count * rowWidth < rows) {
      final int list = take(BitPacking.lengthBytes(count, rowWidth));
      BitPacking.unpack(source, list, rowWidth, 0, exceptionRows, count);
      requireAscending(exceptionRows, rows, count);
    } else {
      readBitmap(take(BitPacking.lengthBytes(rows, 1)), exceptionRows, rows, count);
    }
  }

  private void readBitmap(int offset, int[] exceptionRows, int rows, int count) {
    int found = 0;
    for (int row = 0; row < rows; row++) {
      if ((source[offset + (row >>> 3)] >>> (row & 7) & 1) != 0) {
        exceptionRows[found++] = row;
      }
    }
    if (found != count) {
      throw refused("bitmap marks " + found + " exceptions, not " + count);
    }
  }

  private void requireAscending(int[] exceptionRows, int rows, int count) {
    int previous = -1;
    for (int i = 0; i < count; i++) {
      final int row = exceptionRows[i];
      if (row <= previous || row >= rows) {
        throw refused(
            "exception " + i + " at row " + row + " after row " + previous + " of " + rows);
      }
      previous = row;
    }
  }

  /** The offset of so many bytes, which the message must have. */
  private int take(int lengthBytes) {
    if (lengthBytes > end - at) {
      throw refused(
          lengthBytes + " bytes at offset " + at + " reach beyond the data's end at " + end);
    }
    final int taken = at;
    at += lengthBytes;
    return taken;
  }

  private void reserve(int level, int rows) {
    if (exceptionRows[level].length < rows) {
      exceptionRows[level] = new int[rows];
      exceptionValues[level] = new int[rows];
    }
  }

  private PacketBatchException refused(String reason) {
    return new PacketBatchException("column " + column, reason);
  }
}
