// SPDX-License-Identifier: Apache-2.0
// Flink's key-group arithmetic (MathUtils.murmurHash, KeyGroupRangeAssignment), so that a ring holds exactly the keys
// of one Flink subtask.
#pragma once

#include <cstdint>

#include "flowstone/abi.h"

namespace flowstone {

inline uint32_t rotate_left(uint32_t value, int bits) { return value << bits | value >> (32 - bits); }

/** Flink's murmur hash of an int: 0 to 2^31 - 1. */
inline uint32_t flink_murmur(uint32_t code) {
  code *= FS_RING_FILE_HEADER_MURMUR_FIRST_FACTOR;
  code = rotate_left(code, 15);
  code *= FS_RING_FILE_HEADER_MURMUR_SECOND_FACTOR;
  code = rotate_left(code, 13);
  code = code * 5 + FS_RING_FILE_HEADER_MURMUR_ADDEND;
  code ^= 4;
  code ^= code >> 16;
  code *= FS_RING_FILE_HEADER_MURMUR_THIRD_FACTOR;
  code ^= code >> 13;
  code *= FS_RING_FILE_HEADER_MURMUR_FOURTH_FACTOR;
  code ^= code >> 16;
  // Java's Math.abs, by masks because the sign is random to the branch predictor. The one number that has no positive
  // counterpart becomes 0 in Flink: so it does here, by dropping the top bit.
  const uint32_t sign = 0 - (code >> 31);
  return ((code ^ sign) - sign) & 0x7FFFFFFFu;
}

inline bool is_power_of_two(uint32_t value) { return value != 0 && (value & (value - 1)) == 0; }

inline uint32_t key_group(uint32_t flow_hash, uint32_t max_parallelism) {
  const uint32_t hash = flink_murmur(flow_hash);
  if (is_power_of_two(max_parallelism)) {
    return hash & (max_parallelism - 1);  // the usual case, and a division costs as much as parsing a packet
  }
  return max_parallelism == 0 ? 0 : hash % max_parallelism;
}

}  // namespace flowstone
