// SPDX-License-Identifier: Apache-2.0
// What nearly every packet is: Ethernet, at most one 802.1Q tag, IPv4 without options or IPv6 without extension
// headers, whole TCP or UDP header. One bounds check, then loads without further questions. Anything else, and every
// doubt, is left to the general path by returning false.
//
// TCP or UDP, tagged or not, and the order of the endpoints are random to the branch predictor, so these choices are
// made with masks; IPv4 or IPv6 is a branch.
#pragma once

#include "descriptor.hpp"
#include "flow_hash.hpp"
#include "link.hpp"
#include "network.hpp"

namespace flowstone {

inline constexpr uint32_t kFastEthernetBytes = 14;
inline constexpr uint32_t kFastTransportBytes = 16;  // as much of a TCP header as a record keeps

/** Hides from the compiler that a mask is all zeros or all ones: knowing it, it makes a branch of the choice. */
inline uint64_t opaque(uint64_t mask) {
  asm("" : "+r"(mask));
  return mask;
}

/** The layer-4 fields of TCP or UDP, from the first 16 bytes. */
struct FastTransport {
  uint16_t source_port;
  uint16_t destination_port;
  uint32_t sequence;
  uint32_t acknowledgement;
  uint16_t window;
  uint8_t flags;
  uint32_t header_bytes;
  bool valid;  // TCP or UDP, and the header is as long as it must be

  FastTransport(const uint8_t* segment, uint8_t protocol) {
    const uint64_t first = load<uint64_t>(segment);
    const uint64_t second = load<uint64_t>(segment + 8);
    const bool tcp = protocol == kTcp;
    const uint64_t tcp_mask = opaque(0 - static_cast<uint64_t>(tcp));
    const uint64_t words = ((first >> 32 | second << 32) & tcp_mask) | (first & ~tcp_mask);
    const uint64_t tcp_second = second & tcp_mask;
    const uint32_t stated_bytes = static_cast<uint32_t>(tcp_second >> 36 & 0xF) * 4;
    source_port = big_endian(static_cast<uint16_t>(first));
    destination_port = big_endian(static_cast<uint16_t>(first >> 16));
    sequence = big_endian(static_cast<uint32_t>(words));
    acknowledgement = big_endian(static_cast<uint32_t>(words >> 32));
    window = big_endian(static_cast<uint16_t>(tcp_second >> 48));
    flags = static_cast<uint8_t>(tcp_second >> 40);
    header_bytes = stated_bytes | (static_cast<uint32_t>(~tcp_mask) & 8);
    valid = (stated_bytes >= 20) | (protocol == kUdp);
  }
};

inline void store(fs_packet_record& record, size_t offset, uint64_t word) {
  std::memcpy(reinterpret_cast<uint8_t*>(&record) + offset, &word, sizeof word);
}

/** Writes all but the addresses, by whole words: a store for each field would be half of the work. */
inline void write_fast(const fs_raw_packet& packet, uint32_t flow_hash, const FastTransport& transport,
                       uint32_t layer4_length, uint8_t protocol, uint8_t service, uint8_t time_to_live, uint32_t kind,
                       fs_packet_record& record) {
  const uint32_t payload_length = layer4_length - transport.header_bytes;
  const uint64_t time_and_hash = static_cast<uint32_t>(packet.time_ns) | static_cast<uint64_t>(flow_hash) << 32;
  const uint64_t ports_and_sequence = transport.source_port | static_cast<uint64_t>(transport.destination_port) << 16 |
                                      static_cast<uint64_t>(transport.sequence) << 32;
  const uint64_t from_acknowledgement = transport.acknowledgement | static_cast<uint64_t>(transport.window) << 32 |
                                        static_cast<uint64_t>(payload_length) << 48;
  const uint64_t from_protocol = protocol | static_cast<uint64_t>(transport.flags) << 8 |
                                 static_cast<uint64_t>(service) << 16 | static_cast<uint64_t>(time_to_live) << 24 |
                                 static_cast<uint64_t>(descriptor(packet, kind)) << 32;
  store(record, offsetof(fs_packet_record, time_low), time_and_hash);
  store(record, offsetof(fs_packet_record, source_port), ports_and_sequence);
  store(record, offsetof(fs_packet_record, acknowledgement), from_acknowledgement);
  store(record, offsetof(fs_packet_record, protocol), from_protocol);
}

inline void write_mapped(fs_packet_record& record, size_t offset, uint32_t address) {
  store(record, offset, 0);
  store(record, offset + 8, 0xFFFF0000u | static_cast<uint64_t>(address) << 32);
}

/** header is followed by at least 20 + 16 bytes of captured data. */
inline bool parse_fast_ipv4(const uint8_t* header, const fs_raw_packet& packet, fs_packet_record& record) {
  const uint64_t first = load<uint64_t>(header);       // version, TOS, total length, id, fragment
  const uint64_t second = load<uint64_t>(header + 8);  // TTL, protocol, checksum, source
  const uint32_t source = static_cast<uint32_t>(second >> 32);
  const uint32_t destination = load<uint32_t>(header + 16);
  const uint32_t total_length = big_endian(static_cast<uint16_t>(first >> 16));
  const uint8_t protocol = static_cast<uint8_t>(second >> 8);
  const FastTransport transport(header + kIpv4HeaderBytes, protocol);
  // Version 4, header of 20 bytes, fragment offset 0.
  const bool plain = (first & 0xFF1F0000000000FFu) == 0x45;
  if (!(plain & transport.valid & (total_length >= kIpv4HeaderBytes + transport.header_bytes))) {
    return false;
  }
  const uint32_t hash =
      ipv4_flow_hash(source, destination, transport.source_port, transport.destination_port, protocol);
  write_mapped(record, offsetof(fs_packet_record, source_address), source);
  write_mapped(record, offsetof(fs_packet_record, destination_address), destination);
  write_fast(packet, hash, transport, total_length - kIpv4HeaderBytes, protocol, static_cast<uint8_t>(first >> 8),
             static_cast<uint8_t>(second), FS_RECORD_KIND_IPV4, record);
  return true;
}

/** header is followed by at least 40 + 16 bytes of captured data. */
inline bool parse_fast_ipv6(const uint8_t* header, const fs_raw_packet& packet, fs_packet_record& record) {
  const uint32_t payload_length = network16(header + 4);
  const uint8_t protocol = header[6];
  const FastTransport transport(header + kIpv6HeaderBytes, protocol);
  const bool plain = header[0] >> 4 == 6;
  // A payload length of 0 (jumbogram, offload) fails here too.
  if (!(plain & transport.valid & (payload_length >= transport.header_bytes))) {
    return false;
  }
  const uint8_t service = static_cast<uint8_t>(header[0] << 4 | header[1] >> 4);
  const uint32_t hash = flow_hash(header + 8, header + 24, transport.source_port, transport.destination_port, protocol);
  std::memcpy(record.source_address, header + 8, 32);  // both: they lie side by side in the packet and in the record
  write_fast(packet, hash, transport, payload_length, protocol, service, header[7], FS_RECORD_KIND_IPV6, record);
  return true;
}

/** Writes the record and returns true, or leaves the packet to the general path. Right for both profiles: all it reads
 *  lies in the first 74 bytes. */
inline bool parse_fast(const uint8_t* data, const fs_raw_packet& packet, fs_packet_record& record) {
  constexpr uint32_t kVlanBytes = 4;
  constexpr uint32_t kSmallest = kFastEthernetBytes + kVlanBytes + kIpv4HeaderBytes + kFastTransportBytes;
  const bool plain_ethernet = packet.link_type == kLinkEthernet && (packet.flags & FS_RAW_PACKET_FLAG_ERF_TYPE) == 0;
  if (!(plain_ethernet & (packet.captured_bytes >= kSmallest))) {
    return false;
  }
  constexpr uint16_t kVlanAsLoaded = 0x0081;
  const uint32_t vlan_bytes = load<uint16_t>(data + 12) == kVlanAsLoaded ? kVlanBytes : 0;
  const uint8_t* header = data + kFastEthernetBytes + vlan_bytes;
  const uint16_t type = network16(header - 2);
  if (type == kTypeIpv4) {
    return parse_fast_ipv4(header, packet, record);
  }
  if (type == kTypeIpv6 &&
      packet.captured_bytes >= kFastEthernetBytes + vlan_bytes + kIpv6HeaderBytes + kFastTransportBytes) {
    return parse_fast_ipv6(header, packet, record);
  }
  return false;
}

}  // namespace flowstone
