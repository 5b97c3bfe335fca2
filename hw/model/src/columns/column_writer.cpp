// SPDX-License-Identifier: Apache-2.0
#include "column_writer.hpp"

#include <cstring>

#include "bit_packing.hpp"
#include "exceptions.hpp"

namespace flowstone::columns {
namespace {

/** A sparse column has many values where more than one row in so many has one. */
constexpr uint32_t kMany = 4;

inline uint8_t shape_byte(const ColumnShape& shape) {
  return static_cast<uint8_t>(shape.width | (shape.base != 0 ? 1u : 0u) << FS_PACKET_COLUMN_HAS_BASE_SHIFT |
                              (shape.has_exceptions ? 1u : 0u) << FS_PACKET_COLUMN_HAS_EXCEPTIONS_SHIFT);
}

template <typename Number>
uint8_t* put(Number number, uint8_t* target) {
  std::memcpy(target, &number, sizeof number);
  return target + sizeof number;
}

uint8_t* write_bitmap(const SparseColumn& exceptions, uint32_t rows, uint8_t* target) {
  uint8_t* const end = target + length_bytes(rows, 1);
  std::memset(target, 0, static_cast<size_t>(end - target));
  for (uint32_t i = 0; i < exceptions.count; i++) {
    const uint32_t row = exceptions.rows[i];
    target[row / 8] = static_cast<uint8_t>(target[row / 8] | 1u << row % 8);
  }
  return end;
}

}  // namespace

ColumnWriter::ColumnWriter(Memory& memory, uint32_t max_rows) {
  for (SparseColumn& exceptions : exceptions_) {
    exceptions = {memory.take<uint32_t>(max_rows + 1), memory.take<uint32_t>(max_rows + 1), 0};
  }
  filled_ = memory.take<uint32_t>(max_rows);
}

uint8_t* ColumnWriter::write(const uint32_t* values, uint32_t rows, uint8_t* target) {
  return write(0, values, rows, target);
}

uint8_t* ColumnWriter::write(const SparseColumn& column, uint32_t rows, uint8_t* target) {
  if (column.count > rows / kMany) {
    std::memset(filled_, 0, rows * sizeof *filled_);
    for (uint32_t i = 0; i < column.count; i++) {
      filled_[column.rows[i]] = column.values[i];
    }
    return write(0, filled_, rows, target);
  }
  *target++ = shape_byte({0, 0, column.count > 0});
  return column.count == 0 ? target : write_exceptions(0, column, rows, target);
}

uint8_t* ColumnWriter::write(uint32_t level, const uint32_t* values, uint32_t rows, uint8_t* target) {
  const ColumnShape shape = choose_shape(values, rows, FS_PACKET_COLUMN_LEVELS - level);
  *target++ = shape_byte(shape);
  if (shape.base != 0) {
    target = put(shape.base, target);
  }
  target = pack(values, rows, shape.base, shape.width, target);
  if (!shape.has_exceptions) {
    return target;
  }
  SparseColumn exceptions = {exceptions_[level].rows, exceptions_[level].values, 0};
  exceptions.count = collect_exceptions(values, rows, shape, exceptions.rows, exceptions.values);
  return write_exceptions(level, exceptions, rows, target);
}

uint8_t* ColumnWriter::write_exceptions(uint32_t level, const SparseColumn& exceptions, uint32_t rows,
                                        uint8_t* target) {
  target = put(static_cast<uint16_t>(exceptions.count), target);
  const uint32_t row_width = width_of(rows - 1);
  target = uint64_t{exceptions.count} * row_width < rows ? pack(exceptions.rows, exceptions.count, 0, row_width, target)
                                                         : write_bitmap(exceptions, rows, target);
  return write(level + 1, exceptions.values, exceptions.count, target);
}

}  // namespace flowstone::columns
