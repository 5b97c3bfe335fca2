// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketColumns.OVERHEAD_STEP;
import static dev.flowstone.model.abi.PacketColumns.SEQUENCE;
import static dev.flowstone.model.abi.PacketColumns.TRAIT_STEP;
import static dev.flowstone.model.abi.PacketColumns.WINDOW_STEP;
import static dev.flowstone.model.abi.PacketColumnsHeaderLayout.COLUMN_COUNT;

/**
 * The values of the message being encoded, column by column. Columns of steps that are nearly
 * always 0 are sparse: what is not written need not be packed.
 */
final class MessageColumns {
  private static final int[] SPARSE = {SEQUENCE, WINDOW_STEP, OVERHEAD_STEP, TRAIT_STEP};

  private final int[][] plain;
  private final SparseColumn[] sparse = new SparseColumn[COLUMN_COUNT];

  MessageColumns(int maxRows) {
    plain = new int[COLUMN_COUNT][];
    for (int column : SPARSE) {
      sparse[column] = new SparseColumn(maxRows);
    }
    for (int column = 0; column < COLUMN_COUNT; column++) {
      plain[column] = sparse[column] == null ? new int[maxRows] : null;
    }
  }

  int[] plain(int column) {
    return plain[column];
  }

  SparseColumn sparse(int column) {
    return sparse[column];
  }

  void clear() {
    for (int column : SPARSE) {
      sparse[column].clear();
    }
  }

  /** Writes a column of so many rows and returns the offset behind it. */
  int write(int column, int rows, ColumnWriter writer, byte[] target, int offset) {
    return sparse[column] == null
        ? writer.write(plain[column], rows, target, offset)
        : writer.write(sparse[column], rows, target, offset);
  }
}
