// SPDX-License-Identifier: Apache-2.0
// The last word of a record, and what the raw packet contributes to it.
#pragma once

#include <cstdint>

#include "flowstone.h"

namespace flowstone {

inline constexpr uint32_t kLargestFrameLength = FS_PACKET_RECORD_FRAME_LENGTH_MASK;

inline bool length_saturates(const fs_raw_packet& packet) { return packet.wire_bytes > kLargestFrameLength; }

/** Frame length, ingress port and kind; generation 0 until the record goes into a ring. */
inline uint32_t descriptor(const fs_raw_packet& packet, uint32_t kind) {
  const uint32_t length = length_saturates(packet) ? kLargestFrameLength : packet.wire_bytes;
  const uint32_t ingress_port = (packet.flags & FS_RAW_PACKET_FLAG_INGRESS_PORT_1) != 0 ? 1 : 0;
  return length << FS_PACKET_RECORD_FRAME_LENGTH_SHIFT | ingress_port << FS_PACKET_RECORD_INGRESS_PORT_SHIFT |
         kind << FS_PACKET_RECORD_KIND_SHIFT;
}

inline uint32_t kind_of(const fs_packet_record& record) {
  return record.descriptor >> FS_PACKET_RECORD_KIND_SHIFT & FS_PACKET_RECORD_KIND_MASK;
}

}  // namespace flowstone
