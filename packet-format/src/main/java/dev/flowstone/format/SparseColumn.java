// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

/** A column most of whose rows are 0: the others, in order. */
final class SparseColumn {
  final int[] rows;
  final int[] values;
  private int count;

  SparseColumn(int maxRows) {
    rows = new int[maxRows + 1];
    values = new int[maxRows + 1];
  }

  void clear() {
    count = 0;
  }

  /**
   * Rows come in ascending order. A 0 is written, too, and then written over: whether there is a
   * value cannot be foreseen, and a branch that is foreseen wrongly costs more.
   */
  void addUnlessZero(int row, int value) {
    final int at = count;
    rows[at] = row;
    values[at] = value;
    count = at + ((value | -value) >>> 31);
  }

  int count() {
    return count;
  }
}
