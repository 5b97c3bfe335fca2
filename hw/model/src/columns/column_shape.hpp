// SPDX-License-Identifier: Apache-2.0
// How wide the slots of a column are: the width whose slots and exceptions together take the fewest bits.
#pragma once

#include <cstdint>

namespace flowstone::columns {

struct ColumnShape {
  uint32_t base;
  uint32_t width;
  bool has_exceptions;  // some value above base needs more than width bits
};

/** levels: columns within one another that there may be, this one included. */
ColumnShape choose_shape(const uint32_t* values, uint32_t rows, uint32_t levels);

}  // namespace flowstone::columns
