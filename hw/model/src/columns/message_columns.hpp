// SPDX-License-Identifier: Apache-2.0
// The values of the message being packed, column by column. Columns of steps that are nearly always 0 are sparse: what
// is not written need not be packed.
#pragma once

#include "column_writer.hpp"

namespace flowstone::columns {

constexpr bool is_sparse(uint32_t column) {
  return column == FS_PACKET_COLUMNS_SEQUENCE || column == FS_PACKET_COLUMNS_WINDOW_STEP ||
         column == FS_PACKET_COLUMNS_OVERHEAD_STEP || column == FS_PACKET_COLUMNS_TRAIT_STEP;
}

struct MessageColumns {
  uint32_t* plain[FS_PACKET_COLUMNS_HEADER_COLUMN_COUNT] = {};
  SparseColumn sparse[FS_PACKET_COLUMNS_HEADER_COLUMN_COUNT] = {};

  MessageColumns(Memory& memory, uint32_t max_rows) {
    for (uint32_t column = 0; column < FS_PACKET_COLUMNS_HEADER_COLUMN_COUNT; column++) {
      if (is_sparse(column)) {
        sparse[column] = {memory.take<uint32_t>(max_rows + 1), memory.take<uint32_t>(max_rows + 1), 0};
      } else {
        plain[column] = memory.take<uint32_t>(max_rows);
      }
    }
  }

  void clear() {
    for (SparseColumn& column : sparse) {
      column.count = 0;
    }
  }
};

}  // namespace flowstone::columns
