// SPDX-License-Identifier: Apache-2.0
#include "flow_key.hpp"

namespace flowstone::columns {
namespace {

inline uint64_t product(uint64_t word, const uint64_t* numbers) {
  return ((word & 0xFFFFFFFFu) + numbers[0]) * ((word >> 32) + numbers[1]);
}

}  // namespace

uint32_t Secret::hash(const FlowKey& key) const {
  const uint64_t rest = (key.hash_and_ports & 0xFFFFFFFFu) | key.protocol << 32;
  const uint64_t sum = product(key.a_high, numbers) + product(key.a_low, numbers + 2) +
                       product(key.b_high, numbers + 4) + product(key.b_low, numbers + 6) + product(rest, numbers + 8);
  const uint32_t upper = static_cast<uint32_t>(sum >> 32);
  // Tuples in a row, as of a scan, would stay in a row, and rows could overlap: break them up.
  return (upper ^ upper >> 15) * 0x9E3779B9u;
}

}  // namespace flowstone::columns
