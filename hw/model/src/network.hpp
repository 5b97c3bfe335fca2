// SPDX-License-Identifier: Apache-2.0
// Layer 3: an IPv4 or IPv6 header, its extension headers, and where layer 4 lies. A tunnel inside is never opened.
#pragma once

#include <algorithm>

#include "bytes.hpp"
#include "frame.hpp"
#include "ip_protocol.hpp"

namespace flowstone {

inline constexpr size_t kIpv4HeaderBytes = 20;  // without options
inline constexpr size_t kIpv6HeaderBytes = 40;

/** What an IP header says. reason is 0, or why there is no 5-tuple. Offsets are from the start of the frame. */
struct Network {
  uint8_t reason = 0;
  uint8_t protocol = 0;
  uint8_t type_of_service = 0;
  uint8_t time_to_live = 0;
  bool later_fragment = false;
  bool chain_cut = false;  // layer 4 was not reached: the capture ends inside an extension header
  size_t layer4_offset = 0;
  size_t layer4_end = 0;     // no layer-4 byte is read from here on
  size_t packet_end = 0;     // layer4_end, were the window as long as the captured data
  size_t layer4_length = 0;  // by the IP header; by the frame's length where the header says nothing
};

/** A length that the header does not tell (0 after segmentation offload, jumbograms, nonsense). */
inline constexpr size_t kNoLength = 0;

/** Fills in the ends and the length of layer 4, which begins at network.layer4_offset. */
inline void bound_layer4(const Frame& frame, size_t ip_offset, size_t ip_length, Network& network) {
  const size_t said_end = ip_length == kNoLength ? SIZE_MAX : ip_offset + ip_length;
  network.layer4_end = std::min(frame.visible_bytes, said_end);
  network.packet_end = std::min(frame.captured_bytes, said_end);
  const size_t length_end = ip_length == kNoLength ? frame.wire_bytes : said_end;
  network.layer4_length = length_end > network.layer4_offset ? length_end - network.layer4_offset : 0;
}

inline Network read_ipv4(const Frame& frame, size_t offset) {
  Network network;
  if (!frame.shows(offset, kIpv4HeaderBytes)) {
    network.reason = frame.ends_with(FS_OTHER_REASON_SHORT_IP);
    return network;
  }
  const uint8_t* header = frame.data + offset;
  const size_t header_bytes = (header[0] & 0x0Fu) * 4;
  if (header[0] >> 4 != 4 || header_bytes < kIpv4HeaderBytes) {
    network.reason = FS_OTHER_REASON_BAD_IP;
    return network;
  }
  const size_t total_length = network16(header + 2);
  network.protocol = header[9];
  network.type_of_service = header[1];
  network.time_to_live = header[8];
  network.later_fragment = (network16(header + 6) & 0x1FFF) != 0;
  network.layer4_offset = offset + header_bytes;
  bound_layer4(frame, offset, total_length < header_bytes ? kNoLength : total_length, network);
  return network;
}

inline bool is_extension_header(uint8_t protocol) {
  return protocol == kHopByHop || protocol == kRouting || protocol == kFragment || protocol == kAuthentication ||
         protocol == kDestinationOptions;
}

inline size_t extension_header_bytes(uint8_t protocol, uint8_t length) {
  switch (protocol) {
    case kFragment:
      return 8;  // its second byte is reserved
    case kAuthentication:
      return (length + 2u) * 4;
    default:
      return (length + 1u) * 8;
  }
}

inline constexpr size_t kSmallestExtensionHeaderBytes = 8;

/** Walks to the first header that is not an extension. An extension header of which fewer than 8 bytes are there ends
 *  the walk and is the protocol; one that is cut later still names what follows, though nothing of it can be read. */
inline void walk_extension_headers(const Frame& frame, const Profile& profile, Network& network) {
  for (unsigned headers = 0; is_extension_header(network.protocol); headers++) {
    const size_t offset = network.layer4_offset;
    if (offset + kSmallestExtensionHeaderBytes > network.layer4_end) {
      // Behind the window the walk might go on, and another protocol be found: rather no tuple than a wrong one.
      network.reason = network.layer4_end < network.packet_end ? FS_OTHER_REASON_TOO_DEEP : 0;
      network.chain_cut = true;
      return;
    }
    if (headers == profile.max_extension_headers) {
      network.reason = FS_OTHER_REASON_TOO_DEEP;
      return;
    }
    const uint8_t* header = frame.data + offset;
    const size_t header_bytes = extension_header_bytes(network.protocol, header[1]);
    const bool later_fragment = network.protocol == kFragment && (network16(header + 2) & 0xFFF8) != 0;
    network.layer4_offset += header_bytes;
    network.layer4_length -= std::min(header_bytes, network.layer4_length);
    network.protocol = header[0];
    if (later_fragment) {
      network.later_fragment = true;  // what follows is the middle of something, not a header
      return;
    }
  }
}

inline Network read_ipv6(const Frame& frame, size_t offset, const Profile& profile) {
  Network network;
  if (!frame.shows(offset, kIpv6HeaderBytes)) {
    network.reason = frame.ends_with(FS_OTHER_REASON_SHORT_IP);
    return network;
  }
  const uint8_t* header = frame.data + offset;
  if (header[0] >> 4 != 6) {
    network.reason = FS_OTHER_REASON_BAD_IP;
    return network;
  }
  const size_t payload_length = network16(header + 4);
  network.protocol = header[6];
  network.type_of_service = static_cast<uint8_t>(header[0] << 4 | header[1] >> 4);
  network.time_to_live = header[7];
  network.layer4_offset = offset + kIpv6HeaderBytes;
  bound_layer4(frame, offset, payload_length == 0 ? kNoLength : kIpv6HeaderBytes + payload_length, network);
  walk_extension_headers(frame, profile, network);
  return network;
}

}  // namespace flowstone
