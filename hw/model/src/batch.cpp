// SPDX-License-Identifier: Apache-2.0
#include "batch.hpp"

#include "fast_path.hpp"
#include "general_path.hpp"

namespace flowstone {
namespace {

// Far enough ahead to hide memory latency behind some packets' work, near enough that the lines are still there.
constexpr uint32_t kPrefetchDistance = 8;

// The headers of an ordinary packet reach into a second cache line.
inline void prefetch(const uint8_t* data) {
  __builtin_prefetch(data);
  __builtin_prefetch(data + 64);
}

__attribute__((noinline)) void parse_out_of_line(const uint8_t* data, const fs_raw_packet& packet,
                                                 const Profile& profile, fs_packet_record& record) {
  parse_general(data, packet, profile, record);
}

inline void parse_one(const uint8_t* base, const fs_raw_packet& packet, const Profile& profile,
                      fs_packet_record& record) {
  const uint8_t* data = base + packet.data_offset;
  if (__builtin_expect(!parse_fast(data, packet, record), 0)) {
    parse_out_of_line(data, packet, profile, record);
  }
}

}  // namespace

uint32_t parse_batch(const uint8_t* base, const fs_raw_packet* packets, uint32_t count, const Profile& profile,
                     fs_packet_record* records) {
  const uint32_t prefetched = count > kPrefetchDistance ? count - kPrefetchDistance : 0;
  uint32_t index = 0;
  for (; index < prefetched; index++) {
    prefetch(base + packets[index + kPrefetchDistance].data_offset);
    parse_one(base, packets[index], profile, records[index]);
  }
  for (; index < count; index++) {
    parse_one(base, packets[index], profile, records[index]);
  }
  return index;
}

}  // namespace flowstone
