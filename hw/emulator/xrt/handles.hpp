// SPDX-License-Identifier: Apache-2.0
// What a C program holds of an object: a number that was given out, not an address that it could use after the object is gone.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

namespace flowstone::card {

template <typename Object>
class Handles {
 public:
  void* add(std::shared_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    void* handle = reinterpret_cast<void*>(next_++ << 4);
    objects_.emplace(handle, std::move(object));
    return handle;
  }

  /** Null: never given out, or taken back. */
  std::shared_ptr<Object> find(void* handle) {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second;
  }

  std::shared_ptr<Object> remove(void* handle) {
    const std::lock_guard lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end()) return nullptr;
    std::shared_ptr<Object> object = std::move(found->second);
    objects_.erase(found);
    return object;
  }

 private:
  std::mutex mutex_;
  uintptr_t next_ = 0xF10;
  std::unordered_map<void*, std::shared_ptr<Object>> objects_;
};

}  // namespace flowstone::card
