// SPDX-License-Identifier: Apache-2.0
// Rows of a table that many rows of another share, found by a hash. They are looked for in a few slots only: what is
// not found there is written again, which costs bytes and nothing else, whatever somebody chose.
#pragma once

#include <algorithm>
#include <cstring>

#include "bit_packing.hpp"
#include "memory.hpp"

namespace flowstone::columns {

class SharedRows {
 public:
  SharedRows(Memory& memory, uint32_t max_rows, uint32_t most_slots_log2)
      : slots_(memory.take<uint32_t>(size_t{1} << slots_log2(max_rows, most_slots_log2))),
        most_slots_log2_(most_slots_log2) {}

  /** Makes room for so many rows. */
  void clear(uint32_t rows) {
    const uint32_t log2 = slots_log2(rows, most_slots_log2_);
    slot_shift_ = 64 - log2;
    std::memset(slots_, 0, (size_t{1} << log2) * sizeof *slots_);
    count_ = 0;
  }

  /** 1 + the row that is_row says it is; or 0, and the next row is taken. Of the hash the highest bits count. */
  template <typename IsRow>
  uint32_t code_of(uint64_t hash, IsRow is_row) {
    const uint32_t mask = static_cast<uint32_t>(~uint64_t{0} >> slot_shift_);
    const uint32_t first = static_cast<uint32_t>(hash >> slot_shift_);
    uint32_t slot = first;
    for (uint32_t step = 0; step < kSlotsLookedAt; step++) {
      slot = (first + step) & mask;
      const uint32_t entry = slots_[slot];
      if (entry == kFreeSlot) {
        break;
      }
      if (is_row(entry - 1)) {
        return entry;
      }
    }
    slots_[slot] = ++count_;
    return 0;
  }

  uint32_t count() const { return count_; }

 private:
  static constexpr uint32_t kSlotsLookedAt = 4;
  static constexpr uint32_t kFreeSlot = 0;

  static uint32_t slots_log2(uint32_t rows, uint32_t most_slots_log2) {
    return std::min(most_slots_log2, 2 + width_of(rows));
  }

  uint32_t* slots_;
  uint32_t most_slots_log2_;
  uint32_t slot_shift_ = 0;
  uint32_t count_ = 0;
};

}  // namespace flowstone::columns
