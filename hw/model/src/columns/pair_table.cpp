// SPDX-License-Identifier: Apache-2.0
#include "pair_table.hpp"

#include "flow_hash.hpp"

namespace flowstone::columns {
namespace {

constexpr uint32_t kMostSlotsLog2 = 13;
constexpr uint64_t kSpreadA = 0x9E3779B97F4A7C15u;
constexpr uint64_t kSpreadB = 0xC2B2AE3D27D4EB4Fu;

inline uint64_t spread(const FlowKey& key) {
  const uint64_t a = key.a_low ^ key.a_high, b = key.b_low ^ key.b_high;
  const uint64_t sum = a * kSpreadA + (b ^ key.protocol) * kSpreadB;
  return (sum ^ sum >> 32) * kSpreadA;
}

inline bool same_pair(const FlowKey& one, const FlowKey& other) {
  return ((one.a_high ^ other.a_high) | (one.a_low ^ other.a_low) | (one.b_high ^ other.b_high) |
          (one.b_low ^ other.b_low) | (one.protocol ^ other.protocol)) == 0;
}

inline void put_address(uint64_t high, uint64_t low, uint32_t first_column, uint32_t row, MessageColumns& columns) {
  const uint64_t network_high = big_endian(high), network_low = big_endian(low);
  columns.plain[first_column][row] = static_cast<uint32_t>(network_high >> 32);
  columns.plain[first_column + 1][row] = static_cast<uint32_t>(network_high);
  columns.plain[first_column + 2][row] = static_cast<uint32_t>(network_low >> 32);
  columns.plain[first_column + 3][row] = static_cast<uint32_t>(network_low);
}

inline void put_pair(const FlowKey& key, uint32_t row, MessageColumns& columns) {
  put_address(key.a_high, key.a_low, FS_PACKET_COLUMNS_A_ADDRESS_0, row, columns);
  put_address(key.b_high, key.b_low, FS_PACKET_COLUMNS_B_ADDRESS_0, row, columns);
  columns.plain[FS_PACKET_COLUMNS_PROTOCOL][row] = static_cast<uint32_t>(key.protocol);
}

/** The hash that the parser gives such a flow. */
inline uint32_t predicted_hash(const FlowKey& key) {
  return flow_hash(reinterpret_cast<const uint8_t*>(&key.a_high), reinterpret_cast<const uint8_t*>(&key.b_high),
                   key.a_port(), key.b_port(), static_cast<uint8_t>(key.protocol));
}

}  // namespace

PairTable::PairTable(Memory& memory, uint32_t max_flows)
    : rows_(memory, max_flows, kMostSlotsLog2), flow_of_pair_(memory.take<uint32_t>(max_flows)) {}

void PairTable::fill(const FlowTable& table, MessageColumns& columns) {
  const Flow* const flows = table.flows();
  uint32_t* const codes = columns.plain[FS_PACKET_COLUMNS_FLOW_PAIR];
  uint32_t* const a_ports = columns.plain[FS_PACKET_COLUMNS_A_PORT];
  uint32_t* const b_ports = columns.plain[FS_PACKET_COLUMNS_B_PORT];
  uint32_t* const hashes = columns.plain[FS_PACKET_COLUMNS_FLOW_HASH];
  rows_.clear(table.count());
  for (uint32_t flow = 0; flow < table.count(); flow++) {
    const FlowKey& key = flows[flow].key;
    codes[flow] =
        rows_.code_of(spread(key), [&](uint32_t row) { return same_pair(key, flows[flow_of_pair_[row]].key); });
    if (codes[flow] == 0) {
      const uint32_t row = rows_.count() - 1;
      flow_of_pair_[row] = flow;
      put_pair(key, row, columns);
    }
    a_ports[flow] = key.a_port();
    b_ports[flow] = key.b_port();
    hashes[flow] = key.flow_hash() ^ predicted_hash(key);
  }
}

}  // namespace flowstone::columns
