// SPDX-License-Identifier: Apache-2.0
// The symmetric flow hash: CRC32C of 40 bytes, the same for both directions of a flow.
//
//   0  lower endpoint's address, network order, IPv4 as ::ffff:a.b.c.d
//  16  higher endpoint's address
//  32  lower endpoint's port, big-endian     34  higher endpoint's port
//  36  protocol                              37  three zero bytes
//
// An endpoint is (address, port); lower and higher are by unsigned bytes of the address, then by port. The order is
// found without a branch: addresses are random to the branch predictor.
//
// Example: TCP 10.0.0.1:443 <-> 10.0.0.2:5000 hashes
//   00..00 ffff 0a000001 | 00..00 ffff 0a000002 | 01bb 1388 06 000000
#pragma once

#include <cstdint>

#include "bytes.hpp"
#include "crc32c.hpp"
#include "flowstone/abi.h"

namespace flowstone {

/** What follows the addresses, as the eight bytes above read by a little-endian load. */
inline uint64_t hashed_tail(uint16_t lower_port, uint16_t higher_port, uint8_t protocol) {
  return big_endian(lower_port) | static_cast<uint64_t>(big_endian(higher_port)) << 16 |
         static_cast<uint64_t>(protocol) << 32;
}

/** The state after the eight zero bytes that begin every IPv4-mapped address. */
inline constexpr uint32_t kCrcAfterIpv4Prefix = crc32c_by_table(kCrcStart, 0);

/** Addresses as loaded from the packet, ports in host order. */
inline uint32_t ipv4_flow_hash(uint32_t source, uint32_t destination, uint16_t source_port, uint16_t destination_port,
                               uint8_t protocol) {
  const uint64_t source_endpoint = static_cast<uint64_t>(big_endian(source)) << 16 | source_port;
  const uint64_t destination_endpoint = static_cast<uint64_t>(big_endian(destination)) << 16 | destination_port;
  const uint64_t lower = source_endpoint < destination_endpoint ? source_endpoint : destination_endpoint;
  const uint64_t higher = source_endpoint ^ destination_endpoint ^ lower;
  constexpr uint64_t kMapped = 0xFFFF0000u;
  uint32_t state = kCrcAfterIpv4Prefix;
  state = crc32c(state, kMapped | static_cast<uint64_t>(big_endian(static_cast<uint32_t>(lower >> 16))) << 32);
  state = crc32c(state, 0);
  state = crc32c(state, kMapped | static_cast<uint64_t>(big_endian(static_cast<uint32_t>(higher >> 16))) << 32);
  return ~crc32c(state, hashed_tail(static_cast<uint16_t>(lower), static_cast<uint16_t>(higher), protocol));
}

/** Sixteen address bytes as two loads, ports in host order. Right for IPv4-mapped addresses too. */
inline uint32_t flow_hash(const uint8_t* source, const uint8_t* destination, uint16_t source_port,
                          uint16_t destination_port, uint8_t protocol) {
  const uint64_t source_high = load<uint64_t>(source), source_low = load<uint64_t>(source + 8);
  const uint64_t destination_high = load<uint64_t>(destination), destination_low = load<uint64_t>(destination + 8);
  const __uint128_t from = static_cast<__uint128_t>(big_endian(source_high)) << 64 | big_endian(source_low);
  const __uint128_t to = static_cast<__uint128_t>(big_endian(destination_high)) << 64 | big_endian(destination_low);
  const bool swap = (to < from) | ((to == from) & (destination_port < source_port));
  const uint64_t mask = 0 - static_cast<uint64_t>(swap);
  const uint64_t high_change = (source_high ^ destination_high) & mask;
  const uint64_t low_change = (source_low ^ destination_low) & mask;
  const uint16_t port_change = static_cast<uint16_t>((source_port ^ destination_port) & mask);
  uint32_t state = kCrcStart;
  state = crc32c(state, source_high ^ high_change);
  state = crc32c(state, source_low ^ low_change);
  state = crc32c(state, destination_high ^ high_change);
  state = crc32c(state, destination_low ^ low_change);
  return ~crc32c(state, hashed_tail(static_cast<uint16_t>(source_port ^ port_change),
                                    static_cast<uint16_t>(destination_port ^ port_change), protocol));
}

inline uint32_t flow_hash(const fs_packet_record& record) {
  return flow_hash(record.source_address, record.destination_address, record.source_port, record.destination_port,
                   record.protocol);
}

}  // namespace flowstone
