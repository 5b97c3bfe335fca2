// SPDX-License-Identifier: Apache-2.0
// Shares out the memory that the caller provides. The library allocates nothing: it says how much it needs by sharing
// out none, and takes its parts of what it is given by the same code.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#endif

namespace flowstone::columns {

class Memory {
 public:
  explicit Memory(void* start) : start_(static_cast<uint8_t*>(start)) {}

  /** Room for count of them, beginning with a cache line of its own. */
  template <typename Part>
  Part* take(size_t count) {
    const size_t offset = used_bytes_;
    const size_t part_bytes = count * sizeof(Part);
    used_bytes_ += (part_bytes + kLine - 1) / kLine * kLine;
    fence(offset + part_bytes);
    return start_ == nullptr ? nullptr : reinterpret_cast<Part*>(start_ + offset);
  }

  size_t used_bytes() const { return used_bytes_; }

 private:
  static constexpr size_t kLine = 64;

#if defined(__SANITIZE_ADDRESS__)
  /** One part's end is not the next one's beginning where somebody looks for that mistake. */
  void fence(size_t end) {
    used_bytes_ += kLine;
    if (start_ != nullptr) {
      __asan_poison_memory_region(start_ + end, used_bytes_ - end);
    }
  }
#else
  void fence(size_t) {}
#endif

  uint8_t* start_;
  size_t used_bytes_ = 0;
};

}  // namespace flowstone::columns
