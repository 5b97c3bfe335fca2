// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace flowstone {

// Flink's MathUtils.murmurHash. Never negative: the one value without a positive twin becomes 0.
inline uint32_t murmur(uint32_t code) {
    uint32_t hash = code * 0xcc9e2d51u;
    hash = ((hash << 15) | (hash >> 17)) * 0x1b873593u;
    hash = ((hash << 13) | (hash >> 19)) * 5 + 0xe6546b64u;
    hash ^= 4;  // Flink hashes as if four bytes were read
    hash ^= hash >> 16;
    hash *= 0x85ebca6bu;
    hash ^= hash >> 13;
    hash *= 0xc2b2ae35u;
    hash ^= hash >> 16;
    if (hash < 0x80000000u) return hash;
    return hash == 0x80000000u ? 0 : 0u - hash;
}

inline uint32_t key_group(uint32_t flow_hash, uint32_t max_parallelism) {
    uint32_t hash = murmur(flow_hash);
    // Flink's default is a power of two, and a division costs as much as the rest of scatter.
    bool power_of_two = (max_parallelism & (max_parallelism - 1)) == 0;
    return power_of_two ? (hash & (max_parallelism - 1)) : hash % max_parallelism;
}

}  // namespace flowstone
