// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#if defined(__SSE4_2__)
#include <nmmintrin.h>
#elif defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
#endif

namespace flowstone {

// CRC-32C (Castagnoli, reflected) of the next eight bytes, given as a little-endian word.
inline uint32_t crc32c_u64(uint32_t crc, uint64_t word) {
#if defined(__SSE4_2__)
    return static_cast<uint32_t>(_mm_crc32_u64(crc, word));
#elif defined(__ARM_FEATURE_CRC32)
    return __crc32cd(crc, word);
#else
    uint64_t rest = word ^ crc;
    for (int bit = 0; bit < 64; bit++) {
        rest = (rest >> 1) ^ (0x82f63b78u & (0u - static_cast<uint32_t>(rest & 1)));
    }
    return static_cast<uint32_t>(rest);
#endif
}

}  // namespace flowstone
