// SPDX-License-Identifier: Apache-2.0
// Writes columns, and the columns within them.
#pragma once

#include "column_shape.hpp"
#include "flowstone/abi.h"
#include "memory.hpp"

namespace flowstone::columns {

/** A column most of whose rows are 0: the others, in order. */
struct SparseColumn {
  uint32_t* rows;
  uint32_t* values;
  uint32_t count;

  /**
   * Rows come in ascending order. A 0 is written, too, and then written over: whether there is a value cannot be
   * foreseen, and a branch that is foreseen wrongly costs more.
   */
  void add_unless_zero(uint32_t row, uint32_t value) {
    rows[count] = row;
    values[count] = value;
    count += value != 0;
  }
};

class ColumnWriter {
 public:
  ColumnWriter(Memory& memory, uint32_t max_rows);

  /** Both write a column of so many rows and return where it ends. */
  uint8_t* write(const uint32_t* values, uint32_t rows, uint8_t* target);

  /** All but its zeros are exceptions, unless they are many. */
  uint8_t* write(const SparseColumn& column, uint32_t rows, uint8_t* target);

 private:
  uint8_t* write(uint32_t level, const uint32_t* values, uint32_t rows, uint8_t* target);
  uint8_t* write_exceptions(uint32_t level, const SparseColumn& exceptions, uint32_t rows, uint8_t* target);

  SparseColumn exceptions_[FS_PACKET_COLUMN_LEVELS - 1];  // at each level but the innermost
  uint32_t* filled_;
};

}  // namespace flowstone::columns
