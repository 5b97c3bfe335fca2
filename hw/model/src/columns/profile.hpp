// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flowstone/abi.h"

namespace flowstone::columns {

/**
 * What packets of a direction repeat, in one word that is compared at once: from the lowest bit up overhead (19 bits),
 * descriptor above the frame length (13), type of service (8), time to live (8), window (16).
 */
class Profile {
 public:
  explicit Profile(uint64_t word) : word_(word) {}
  explicit Profile(const fs_packet_record& packet)
      : word_(uint64_t{packet.tcp_window} << 48 | uint64_t{packet.time_to_live} << 40 |
              uint64_t{packet.type_of_service} << 32 | (packet.descriptor & ~kOverheadMask) |
              ((packet.descriptor - packet.payload_length) & kOverheadMask)) {}

  uint64_t word() const { return word_; }
  uint32_t window() const { return static_cast<uint32_t>(word_ >> 48); }
  uint32_t overhead() const { return static_cast<uint32_t>(word_) & kOverheadMask; }
  uint32_t time_to_live() const { return static_cast<uint32_t>(word_ >> 40) & 0xFFu; }
  uint32_t type_of_service() const { return static_cast<uint32_t>(word_ >> 32) & 0xFFu; }
  uint32_t descriptor_high() const { return static_cast<uint32_t>(word_) >> FS_PACKET_RECORD_TRAFFIC_CLASS_SHIFT; }
  /** As the trait column counts them. */
  uint32_t traits() const { return time_to_live() | type_of_service() << 8 | descriptor_high() << 16; }

 private:
  static constexpr uint32_t kOverheadMask = FS_PACKET_RECORD_FRAME_LENGTH_MASK;

  uint64_t word_;
};

}  // namespace flowstone::columns
