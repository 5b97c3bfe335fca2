// SPDX-License-Identifier: Apache-2.0
// What makes a flow: its endpoints in an order that both directions share, protocol and flow hash.
#pragma once

#include "bytes.hpp"
#include "flowstone/abi.h"

namespace flowstone::columns {

/** Addresses as the record's memory gives them. Endpoint A is the one with the higher port, then address. */
struct FlowKey {
  uint64_t a_high, a_low, b_high, b_low;
  uint64_t hash_and_ports;  // from the lowest bit up: port of B, port of A, flow hash
  uint64_t protocol;

  uint32_t flow_hash() const { return static_cast<uint32_t>(hash_and_ports >> 32); }
  uint16_t a_port() const { return static_cast<uint16_t>(hash_and_ports >> 16); }
  uint16_t b_port() const { return static_cast<uint16_t>(hash_and_ports); }

  bool operator==(const FlowKey& other) const {
    return ((a_high ^ other.a_high) | (a_low ^ other.a_low) | (b_high ^ other.b_high) | (b_low ^ other.b_low) |
            (hash_and_ports ^ other.hash_and_ports) | (protocol ^ other.protocol)) == 0;
  }
};

/** 1 where B sends. Which endpoint does is as good as random, so what follows from it is computed, not chosen. */
inline uint32_t side_of(const fs_packet_record& packet) {
  if (__builtin_expect(packet.source_port != packet.destination_port, 1)) {
    return packet.source_port < packet.destination_port;
  }
  const uint64_t source_high = load<uint64_t>(packet.source_address);
  const uint64_t source_low = load<uint64_t>(packet.source_address + 8);
  const uint64_t destination_high = load<uint64_t>(packet.destination_address);
  const uint64_t destination_low = load<uint64_t>(packet.destination_address + 8);
  return (source_high < destination_high) | ((source_high == destination_high) & (source_low < destination_low));
}

inline FlowKey key_of(const fs_packet_record& packet, uint32_t side) {
  const uint64_t exchange = 0 - uint64_t{side};
  const uint64_t source_high = load<uint64_t>(packet.source_address);
  const uint64_t source_low = load<uint64_t>(packet.source_address + 8);
  const uint64_t destination_high = load<uint64_t>(packet.destination_address);
  const uint64_t destination_low = load<uint64_t>(packet.destination_address + 8);
  const uint64_t high = (source_high ^ destination_high) & exchange;
  const uint64_t low = (source_low ^ destination_low) & exchange;
  const uint32_t port = (packet.source_port ^ packet.destination_port) & static_cast<uint32_t>(exchange);
  const uint32_t ports = (packet.source_port ^ port) << 16 | (packet.destination_port ^ port);
  return {source_high ^ high,
          source_low ^ low,
          destination_high ^ high,
          destination_low ^ low,
          uint64_t{packet.flow_hash} << 32 | ports,
          uint64_t{packet.protocol}};
}

/**
 * Random numbers of the process that nobody outside knows. Each 64-bit word of a key gives one product of its halves,
 * each moved by a random number; of the sum of the products the upper 32 bits count. Of two different keys these are
 * as good as independent, whichever the keys are (pair-multiply-shift, strongly universal).
 */
struct Secret {
  uint64_t numbers[10];

  uint32_t hash(const FlowKey& key) const;
};

}  // namespace flowstone::columns
