// SPDX-License-Identifier: Apache-2.0
// One frame through the public functions, and records as tests look at them.
#pragma once

#include <cstring>

#include "flowstone.h"
#include "frame_builder.hpp"

namespace flowstone::test {

inline fs_raw_packet describe(const FrameBuilder& frame) {
  fs_raw_packet packet = {};
  packet.time_ns = 1'700'000'000'123'456'789;
  packet.captured_bytes = static_cast<uint32_t>(frame.bytes.size());
  packet.wire_bytes = packet.captured_bytes;
  packet.link_type = frame.link_type;
  return packet;
}

inline fs_packet_record parse(const FrameBuilder& frame, const fs_raw_packet& packet,
                              uint32_t profile = FS_PARSE_PROFILE_SOFTWARE) {
  fs_packet_record record;
  std::memset(&record, 0xA5, sizeof record);  // a field that is not written shows
  flowstone_parse(frame.bytes.data(), &packet, 1, profile, &record);
  return record;
}

inline fs_packet_record parse(const FrameBuilder& frame, uint32_t profile = FS_PARSE_PROFILE_SOFTWARE) {
  return parse(frame, describe(frame), profile);
}

inline uint32_t kind(const fs_packet_record& record) {
  return record.descriptor >> FS_PACKET_RECORD_KIND_SHIFT & FS_PACKET_RECORD_KIND_MASK;
}

inline uint32_t generation(const fs_packet_record& record) {
  return record.descriptor >> FS_PACKET_RECORD_GENERATION_SHIFT;
}

inline bool is_later_fragment(const fs_packet_record& record) {
  return (record.descriptor >> FS_PACKET_RECORD_LATER_FRAGMENT_SHIFT & 1) != 0;
}

inline uint32_t frame_length(const fs_packet_record& record) {
  return record.descriptor & FS_PACKET_RECORD_FRAME_LENGTH_MASK;
}

inline bool same(const fs_packet_record& left, const fs_packet_record& right) {
  return std::memcmp(&left, &right, sizeof left) == 0;
}

inline bool same_tuple(const fs_packet_record& left, const fs_packet_record& right) {
  return std::memcmp(left.source_address, right.source_address, 36) == 0 &&  // addresses and ports
         left.protocol == right.protocol && left.flow_hash == right.flow_hash;
}

}  // namespace flowstone::test
