// SPDX-License-Identifier: Apache-2.0
// Shares out the memory that the caller provides. The library allocates nothing: it says how much it needs by sharing
// out none, and takes its parts of what it is given by the same code.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flowstone::columns {

class Memory {
 public:
  explicit Memory(void* start) : start_(static_cast<uint8_t*>(start)) {}

  /** Room for count of them, beginning with a cache line of its own. */
  template <typename Part>
  Part* take(size_t count) {
    constexpr size_t kLine = 64;
    const size_t offset = used_bytes_;
    used_bytes_ += (count * sizeof(Part) + kLine - 1) / kLine * kLine;
    return start_ == nullptr ? nullptr : reinterpret_cast<Part*>(start_ + offset);
  }

  size_t used_bytes() const { return used_bytes_; }

 private:
  uint8_t* start_;
  size_t used_bytes_ = 0;
};

}  // namespace flowstone::columns
