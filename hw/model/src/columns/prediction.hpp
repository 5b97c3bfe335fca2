// SPDX-License-Identifier: Apache-2.0
// What is expected of the next packet; its home in words is the page of the columnar body.
#pragma once

#include "flowstone/abi.h"
#include "ip_protocol.hpp"

namespace flowstone::columns {

/** All bits set where it holds: what follows from it needs no branch. */
inline uint32_t mask_if(bool holds) { return 0u - static_cast<uint32_t>(holds); }

/** Signed steps as unsigned numbers: 0, -1, 1, -2 become 0, 1, 2, 3. */
inline uint32_t zigzag(uint32_t step) { return step << 1 ^ static_cast<uint32_t>(static_cast<int32_t>(step) >> 31); }

/** PSH and ACK, the flags of most packets, become the lowest two bits. */
inline uint32_t rotated_flags(uint32_t tcp_flags) { return (tcp_flags >> 3 | tcp_flags << 5) & 0xFFu; }

/** The second word of a UDP header, without its checksum. */
inline uint32_t udp_length_word(const fs_packet_record& packet) { return (packet.payload_length + 8u) << 16; }

/** The first word of a UDP header. */
inline uint32_t udp_ports_word(const fs_packet_record& packet) {
  return static_cast<uint32_t>(packet.source_port) << 16 | packet.destination_port;
}

/** The sequence number after this packet; other protocols than TCP repeat the first word of their header. */
inline uint32_t next_sequence(const fs_packet_record& packet) {
  const uint32_t fin = packet.tcp_flags & 1u, syn = packet.tcp_flags >> 1 & 1u;
  return packet.sequence + ((packet.payload_length + fin + syn) & mask_if(packet.protocol == kTcp));
}

}  // namespace flowstone::columns
