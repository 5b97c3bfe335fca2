// SPDX-License-Identifier: Apache-2.0
// Memory that several processes map: made by the card, handed to others as a descriptor, gone when the last of them is.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

namespace flowstone::card {

class SharedMemory {
 public:
  /** New memory of zeros, of which only what is touched takes room. */
  SharedMemory(const char* name, uint64_t bytes) : SharedMemory(make(name, bytes), bytes) {}

  /** Memory that another process made. Takes over the descriptor. */
  SharedMemory(int descriptor, uint64_t bytes) : descriptor_(descriptor), bytes_(bytes) {
    void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
    if (address == MAP_FAILED) {
      const std::string why = std::strerror(errno);
      close(descriptor);
      throw std::runtime_error("cannot map " + std::to_string(bytes) + " bytes of shared memory: " + why);
    }
    address_ = static_cast<uint8_t*>(address);
    madvise(address_, bytes_, MADV_HUGEPAGE);  // rings are written at random places: fewer pages, fewer misses
    madvise(address_, bytes_, MADV_DONTDUMP);
  }

  ~SharedMemory() {
    munmap(address_, bytes_);
    close(descriptor_);
  }
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  uint8_t* address() const { return address_; }
  uint64_t bytes() const { return bytes_; }
  int descriptor() const { return descriptor_; }

 private:
  static int make(const char* name, uint64_t bytes) {
    const int descriptor = memfd_create(name, MFD_CLOEXEC);
    if (descriptor < 0 || ftruncate(descriptor, static_cast<off_t>(bytes)) != 0) {
      throw std::runtime_error("cannot make " + std::to_string(bytes) + " bytes of shared memory: " + std::strerror(errno));
    }
    return descriptor;
  }

  int descriptor_;
  uint64_t bytes_;
  uint8_t* address_;
};

}  // namespace flowstone::card
