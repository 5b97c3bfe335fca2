// SPDX-License-Identifier: Apache-2.0
// Packets of the ring's tests. Each is known by its port and its number, which its record bears, so that a record that comes out
// tells which one it has to be, byte for byte.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "flowstone/abi.h"

namespace flowstone::sim {

using Slot = std::array<uint8_t, 64>;

/** splitmix64: small, and the same everywhere for one seed. */
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  uint64_t below(uint64_t bound) { return next() % bound; }
  uint64_t between(uint64_t least, uint64_t most) { return least + below(most - least + 1); }
  bool chance(unsigned percent) { return below(100) < percent; }

 private:
  uint64_t state_;
};

/** What a port sends: a packet for a ring, or a tick. */
struct Beat {
  uint64_t time_ns = 0;
  uint32_t ring = 0;
  bool is_tick = false;
};

constexpr uint32_t kLongestFrame = FS_PACKET_RECORD_FRAME_LENGTH_MASK;

inline uint32_t descriptor(uint32_t kind, uint32_t generation) {
  return kind << FS_PACKET_RECORD_KIND_SHIFT | generation << FS_PACKET_RECORD_GENERATION_SHIFT;
}

/** The record of a port's packet, without a generation. */
inline fs_packet_record packet_record(uint32_t port, uint32_t number, uint64_t time_ns) {
  static const uint32_t kinds[] = {FS_RECORD_KIND_IPV4, FS_RECORD_KIND_IPV6, FS_RECORD_KIND_OTHER,
                                   FS_RECORD_KIND_IPV4_ENCAPSULATED, FS_RECORD_KIND_IPV6_ENCAPSULATED};
  Random random(uint64_t{port} << 32 | number);
  uint64_t words[8];
  for (uint64_t& word : words) {
    word = random.next();
  }
  fs_packet_record record;
  static_assert(sizeof record == sizeof words);
  memcpy(&record, words, sizeof record);
  record.time_low = static_cast<uint32_t>(time_ns);
  record.sequence = number;
  const uint32_t keep = ~(FS_PACKET_RECORD_GENERATION_MASK << FS_PACKET_RECORD_GENERATION_SHIFT) &
                        ~(FS_PACKET_RECORD_KIND_MASK << FS_PACKET_RECORD_KIND_SHIFT) &
                        ~(FS_PACKET_RECORD_INGRESS_PORT_MASK << FS_PACKET_RECORD_INGRESS_PORT_SHIFT);
  record.descriptor = (record.descriptor & keep) | descriptor(kinds[random.below(5)], 0) |
                      port << FS_PACKET_RECORD_INGRESS_PORT_SHIFT;
  return record;
}

inline uint32_t frame_length(const fs_packet_record& record) {
  return record.descriptor >> FS_PACKET_RECORD_FRAME_LENGTH_SHIFT & FS_PACKET_RECORD_FRAME_LENGTH_MASK;
}
inline uint32_t kind(const fs_packet_record& record) {
  return record.descriptor >> FS_PACKET_RECORD_KIND_SHIFT & FS_PACKET_RECORD_KIND_MASK;
}
inline uint32_t generation(const fs_packet_record& record) {
  return record.descriptor >> FS_PACKET_RECORD_GENERATION_SHIFT & FS_PACKET_RECORD_GENERATION_MASK;
}
inline uint32_t ingress_port(const fs_packet_record& record) {
  return record.descriptor >> FS_PACKET_RECORD_INGRESS_PORT_SHIFT & FS_PACKET_RECORD_INGRESS_PORT_MASK;
}

template <typename Record>
Slot slot_of(const Record& record) {
  static_assert(sizeof record == sizeof(Slot));
  Slot slot;
  memcpy(slot.data(), &record, sizeof record);
  return slot;
}
inline fs_packet_record record_of(const Slot& slot) {
  fs_packet_record record;
  memcpy(&record, slot.data(), sizeof record);
  return record;
}

}  // namespace flowstone::sim
