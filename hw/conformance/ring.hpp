// SPDX-License-Identifier: Apache-2.0
// What producers and readers of a ring file have in common. Numbered steps are those of docs/formats/ring-protocol.md.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "flowstone/abi.h"

namespace conformance {

constexpr uint64_t kNanosPerSecond = 1000000000;

/** When packet 0 was, and how far the next ones are apart: readers know what time a number must have. */
constexpr uint64_t kFirstTimeNs = 1795219200 * kNanosPerSecond;
constexpr uint64_t kPacketGapNs = 1000000;

[[noreturn]] __attribute__((format(printf, 1, 2))) inline void fail(const char* format, ...) {
  va_list values;
  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  fputc('\n', stderr);
  exit(1);
}

inline uint64_t now_ns(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * kNanosPerSecond + static_cast<uint64_t>(now.tv_nsec);
}

template <typename Word>
Word load_acquire(const Word& word) {
  return __atomic_load_n(&word, __ATOMIC_ACQUIRE);
}

template <typename Word>
void store_release(Word& word, Word value) {
  __atomic_store_n(&word, value, __ATOMIC_RELEASE);
}

/** Orders a store before the loads that follow: half of the agreement between producer and readers. */
inline void full_fence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

/** A ring file in memory. */
struct Ring {
  fs_ring_file_header* header;
  fs_packet_record* slots;

  uint64_t slot_count() const { return uint64_t{1} << header->slots_log2; }

  void* slot(uint64_t position) const { return slots + (position & (slot_count() - 1)); }

  uint32_t descriptor_at(uint64_t position) const { return slots[position & (slot_count() - 1)].descriptor; }

  uint32_t generation_of(uint64_t position) const {
    return static_cast<uint32_t>((position >> header->slots_log2) % FS_PACKET_RECORD_GENERATIONS) + 1;
  }

  /** Kind and generation, where a descriptor has them. */
  uint32_t tag(uint32_t kind, uint64_t position) const {
    return kind << FS_PACKET_RECORD_KIND_SHIFT | generation_of(position) << FS_PACKET_RECORD_GENERATION_SHIFT;
  }
};

inline uint32_t kind_of(uint32_t descriptor) {
  return descriptor >> FS_PACKET_RECORD_KIND_SHIFT & FS_PACKET_RECORD_KIND_MASK;
}

inline Ring map_ring(int file, uint64_t size_bytes, const char* path) {
  void* memory = mmap(nullptr, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) {
    fail("%s: cannot map %llu bytes: %s", path, static_cast<unsigned long long>(size_bytes), strerror(errno));
  }
  char* slots = static_cast<char*>(memory) + FS_RING_FILE_HEADER_HEADER_BYTES;
  return {static_cast<fs_ring_file_header*>(memory), reinterpret_cast<fs_packet_record*>(slots)};
}

/** Opens a ring file; false where there is none, or none of this layout. */
inline bool open_ring(const char* path, Ring& ring) {
  const int file = open(path, O_RDWR | O_CLOEXEC);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) {
    return false;
  }
  const uint64_t size_bytes = static_cast<uint64_t>(status.st_size);
  const bool has_header = size_bytes >= FS_RING_FILE_HEADER_HEADER_BYTES;
  if (has_header) {
    ring = map_ring(file, size_bytes, path);
  }
  close(file);
  return has_header && ring.header->magic == FS_RING_FILE_HEADER_MAGIC &&
         ring.header->abi_version == FS_RING_FILE_HEADER_ABI_VERSION &&
         ring.header->slots_log2 >= FS_RING_FILE_HEADER_LEAST_SLOTS_LOG2 &&
         ring.header->slots_log2 <= FS_RING_FILE_HEADER_MOST_SLOTS_LOG2 &&
         size_bytes - FS_RING_FILE_HEADER_HEADER_BYTES >= uint64_t{sizeof(fs_packet_record)} << ring.header->slots_log2;
}

inline uint64_t claim_mode(uint64_t claim) { return claim >> FS_RING_LANE_MODE_SHIFT & FS_RING_LANE_MODE_MASK; }

inline uint64_t claim_epoch(uint64_t claim) { return claim >> FS_RING_LANE_EPOCH_SHIFT & FS_RING_LANE_EPOCH_MASK; }

inline uint64_t claim_word(uint64_t epoch, uint64_t mode, uint64_t released) {
  return (epoch & FS_RING_LANE_EPOCH_MASK) << FS_RING_LANE_EPOCH_SHIFT | mode << FS_RING_LANE_MODE_SHIFT |
         (released & FS_RING_LANE_RELEASED_POSITION_MASK);
}

/** The largest position up to the producer's with the low bits that the word has. */
inline uint64_t claim_released(uint64_t claim, uint64_t producer_position) {
  return producer_position - ((producer_position - claim) & FS_RING_LANE_RELEASED_POSITION_MASK);
}

inline bool exchange(uint64_t& word, uint64_t expected, uint64_t update) {
  return __atomic_compare_exchange_n(&word, &expected, update, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/** Frees a lane whose reader has been silent for longer than it said, if the claim is still that one. */
inline bool free_if_abandoned(fs_ring_lane& lane, uint64_t claim) {
  // Read after the claim: if that is still the same when it is exchanged, these were its owner's.
  const int64_t silence_ns = static_cast<int64_t>(now_ns(CLOCK_MONOTONIC) - load_acquire(lane.alive_ns));
  const int64_t expiry_ns = static_cast<int64_t>(lane.expiry_s * kNanosPerSecond);
  return silence_ns > expiry_ns &&
         exchange(lane.claim, claim, claim_word(claim_epoch(claim) + 1, FS_LANE_MODE_FREE, 0));
}

}  // namespace conformance
