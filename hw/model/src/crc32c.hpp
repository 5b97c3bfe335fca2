// SPDX-License-Identifier: Apache-2.0
// CRC32C (Castagnoli): the processor's instruction where there is one, else a table. Both give the same state, which
// is the inverse of the checksum as it is usually printed.
#pragma once

#include <array>
#include <cstdint>

#if defined(__SSE4_2__)
#include <nmmintrin.h>
#elif defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

namespace flowstone {

constexpr uint32_t kCrcStart = 0xFFFFFFFFu;

constexpr std::array<uint32_t, 256> make_crc32c_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t byte = 0; byte < 256; byte++) {
    uint32_t remainder = byte;
    for (int bit = 0; bit < 8; bit++) {
      remainder = (remainder >> 1) ^ ((remainder & 1u) != 0 ? 0x82F63B78u : 0u);
    }
    table[byte] = remainder;
  }
  return table;
}

inline constexpr std::array<uint32_t, 256> kCrc32cTable = make_crc32c_table();

/** Adds eight bytes, the lowest of word first. Works at compile time and on any processor. */
constexpr uint32_t crc32c_by_table(uint32_t state, uint64_t word) {
  for (int byte = 0; byte < 8; byte++) {
    state = (state >> 8) ^ kCrc32cTable[(state ^ word) & 0xFFu];
    word >>= 8;
  }
  return state;
}

inline uint32_t crc32c(uint32_t state, uint64_t word) {
#if defined(__SSE4_2__)
  return static_cast<uint32_t>(_mm_crc32_u64(state, word));
#elif defined(__ARM_FEATURE_CRC32)
  return __crc32cd(state, word);
#else
  return crc32c_by_table(state, word);
#endif
}

}  // namespace flowstone
