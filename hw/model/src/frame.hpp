// SPDX-License-Identifier: Apache-2.0
// What the parser may read of one packet, and how far it walks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "flowstone/abi.h"

namespace flowstone {

/** Bounds of the walk. A packet beyond one of them becomes a record of kind OTHER with reason TOO_DEEP. */
struct Profile {
  bool ethernet_only;
  size_t window_bytes;
  unsigned max_vlan_tags;
  unsigned max_mpls_labels;
  unsigned max_extension_headers;
};

// 32 tags and labels are several times what networks use, and keep a frame made of nothing else cheap. An extension
// header has at least 8 bytes, so 8192 of them are more than an IPv6 packet of 65,575 bytes can hold: only a jumbogram
// meets that bound.
inline constexpr Profile kSoftwareProfile{false, SIZE_MAX, 32, 32, 8192};
inline constexpr Profile kCardProfile{true, 128, 2, 3, 2};

struct Frame {
  const uint8_t* data;
  size_t visible_bytes;  // what the profile's window shows of the captured bytes
  size_t captured_bytes;
  size_t wire_bytes;

  Frame(const uint8_t* bytes, const fs_raw_packet& packet, const Profile& profile)
      : data(bytes),
        visible_bytes(packet.captured_bytes < profile.window_bytes ? packet.captured_bytes : profile.window_bytes),
        captured_bytes(packet.captured_bytes),
        // A capture that claims fewer bytes on the wire than it holds is wrong about the wire.
        wire_bytes(packet.wire_bytes > packet.captured_bytes ? packet.wire_bytes : packet.captured_bytes) {}

  bool shows(size_t offset, size_t length) const { return offset <= visible_bytes && length <= visible_bytes - offset; }

  /** Data ends too early: because the capture does, or only because the window does. */
  uint8_t ends_with(uint8_t reason) const {
    return visible_bytes < captured_bytes ? uint8_t{FS_OTHER_REASON_TOO_DEEP} : reason;
  }
};

}  // namespace flowstone
