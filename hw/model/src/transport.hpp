// SPDX-License-Identifier: Apache-2.0
// Layer 4: ports, the two words, TCP flags and window, payload length. A field that is cut off is 0.
#pragma once

#include "network.hpp"

namespace flowstone {

inline bool has_ports(uint8_t protocol) {
  return protocol == kTcp || protocol == kUdp || protocol == kSctp || protocol == kDccp || protocol == kUdpLite;
}

/** The readable bytes of layer 4. */
struct Segment {
  const uint8_t* data;
  size_t readable_bytes;

  uint16_t number16(size_t offset) const {
    return offset + 2 <= readable_bytes ? network16(data + offset) : uint16_t{0};
  }
  uint32_t number32(size_t offset) const { return offset + 4 <= readable_bytes ? network32(data + offset) : 0; }
  uint8_t byte(size_t offset) const { return offset < readable_bytes ? data[offset] : uint8_t{0}; }
};

inline constexpr size_t kHeaderUnreadable = SIZE_MAX;

/** Bytes of a header whose length stands in 32-bit words in the upper four bits of the byte at the given offset. */
inline size_t stated_header_bytes(const Segment& segment, size_t offset, uint8_t bits_from, size_t smallest) {
  const size_t bytes = static_cast<size_t>(segment.byte(offset) >> bits_from) * 4;
  return bytes < smallest ? kHeaderUnreadable : bytes;
}

inline size_t fixed_header_bytes(const Segment& segment, size_t bytes) {
  return segment.readable_bytes < bytes ? kHeaderUnreadable : bytes;
}

/** Length of the layer-4 header; 0 for a protocol that is not known here: then all of it counts as payload. */
inline size_t transport_header_bytes(uint8_t protocol, const Segment& segment) {
  switch (protocol) {
    case kTcp:
      return stated_header_bytes(segment, 12, 4, 20);
    case kDccp:
      return stated_header_bytes(segment, 4, 0, 12);  // a whole byte
    case kUdp:
    case kUdpLite:
    case kIcmp:
    case kIcmpV6:
      return fixed_header_bytes(segment, 8);
    case kSctp:
      return fixed_header_bytes(segment, 12);
    default:
      return 0;
  }
}

inline uint16_t payload_length(size_t layer4_length, size_t header_bytes) {
  if (header_bytes > layer4_length) {
    return FS_PACKET_RECORD_PAYLOAD_LENGTH_UNREADABLE;  // unreadable, or it claims more than there is
  }
  const size_t length = layer4_length - header_bytes;
  return static_cast<uint16_t>(std::min<size_t>(length, FS_PACKET_RECORD_PAYLOAD_LENGTH_SATURATED));
}

/** True if the captured data holds ports that the profile's window hides. */
inline bool hides_ports(const Network& network) {
  return has_ports(network.protocol) && !network.later_fragment && network.layer4_offset + 4 > network.layer4_end &&
         network.layer4_offset + 4 <= network.packet_end;
}

/** Fills in the layer-4 fields of a zeroed record. A later fragment has none, and all its bytes are payload: then the
 *  payload lengths of a packet's fragments add up to its own. */
inline void read_transport(const Frame& frame, const Network& network, fs_packet_record& record) {
  if (network.chain_cut) {
    record.payload_length = FS_PACKET_RECORD_PAYLOAD_LENGTH_UNREADABLE;
    return;
  }
  if (network.later_fragment) {
    record.payload_length = payload_length(network.layer4_length, 0);
    return;
  }
  const bool readable = network.layer4_offset < network.layer4_end;
  const Segment segment{frame.data + (readable ? network.layer4_offset : 0),
                        readable ? network.layer4_end - network.layer4_offset : 0};
  if (has_ports(network.protocol) && segment.readable_bytes >= 4) {
    record.source_port = segment.number16(0);
    record.destination_port = segment.number16(2);
  }
  const bool tcp = network.protocol == kTcp;
  record.sequence = segment.number32(tcp ? 4 : 0);
  record.acknowledgement = segment.number32(tcp ? 8 : 4);
  if (tcp) {
    record.tcp_flags = segment.byte(13);
    record.tcp_window = segment.number16(14);
  }
  record.payload_length = payload_length(network.layer4_length, transport_header_bytes(network.protocol, segment));
}

}  // namespace flowstone
