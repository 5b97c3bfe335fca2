// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

/** A column most of whose rows are 0: the others, in order. */
final class SparseColumn {
  final int[] rows;
  final int[] values;
  private int count;
  private int usedBits;

  SparseColumn(int maxRows) {
    rows = new int[maxRows];
    values = new int[maxRows];
  }

  void clear() {
    count = 0;
    usedBits = 0;
  }

  /** Rows come in ascending order. */
  void add(int row, int value) {
    final int at = count++;
    rows[at] = row;
    values[at] = value;
    usedBits |= value;
  }

  int count() {
    return count;
  }

  /** Bits of the widest value. */
  int width() {
    return BitPacking.widthOf(usedBits);
  }
}
