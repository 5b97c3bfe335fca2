// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "crc32c.hpp"
#include "flowstone/abi.h"

#include <cstdint>
#include <cstring>
#include <utility>

namespace flowstone {

// Symmetric CRC32C of the canonical tuple (docs/formats/flow-hash.md), 40 bytes: lower endpoint's
// address (16), higher endpoint's address (16), lower port (2), higher port (2), protocol (1), zeros (3).
// The lower endpoint has the smaller (address, port), compared as bytes in network order.

inline uint64_t ports_and_protocol(uint16_t lower_port, uint16_t higher_port, uint8_t protocol) {
    return static_cast<uint64_t>(__builtin_bswap16(lower_port)) |
           static_cast<uint64_t>(__builtin_bswap16(higher_port)) << 16 |
           static_cast<uint64_t>(protocol) << 32;
}

// IPv4: both addresses are ::ffff:a.b.c.d, so their first eight bytes are zero.
inline uint32_t flow_hash_v4(uint32_t source_raw, uint32_t destination_raw, uint16_t source_port,
                             uint16_t destination_port, uint8_t protocol) {
    uint64_t lower = static_cast<uint64_t>(__builtin_bswap32(source_raw)) << 16 | source_port;
    uint64_t higher =
        static_cast<uint64_t>(__builtin_bswap32(destination_raw)) << 16 | destination_port;
    if (higher < lower) std::swap(lower, higher);
    auto mapped = [](uint64_t endpoint) {
        uint32_t address_raw = __builtin_bswap32(static_cast<uint32_t>(endpoint >> 16));
        return static_cast<uint64_t>(address_raw) << 32 | 0xffff0000u;
    };
    uint32_t crc = crc32c_u64(0xffffffffu, 0);
    crc = crc32c_u64(crc, mapped(lower));
    crc = crc32c_u64(crc, 0);
    crc = crc32c_u64(crc, mapped(higher));
    crc = crc32c_u64(crc, ports_and_protocol(static_cast<uint16_t>(lower),
                                             static_cast<uint16_t>(higher), protocol));
    return ~crc;
}

struct Endpoint {
    uint64_t first_raw, second_raw;  // address, memory order
    uint16_t port;

    bool operator<(const Endpoint& other) const {
        uint64_t a = __builtin_bswap64(first_raw), b = __builtin_bswap64(other.first_raw);
        if (a != b) return a < b;
        a = __builtin_bswap64(second_raw), b = __builtin_bswap64(other.second_raw);
        return a != b ? a < b : port < other.port;
    }
};

inline uint32_t flow_hash(Endpoint lower, Endpoint higher, uint8_t protocol) {
    if (higher < lower) std::swap(lower, higher);
    uint32_t crc = crc32c_u64(0xffffffffu, lower.first_raw);
    crc = crc32c_u64(crc, lower.second_raw);
    crc = crc32c_u64(crc, higher.first_raw);
    crc = crc32c_u64(crc, higher.second_raw);
    crc = crc32c_u64(crc, ports_and_protocol(lower.port, higher.port, protocol));
    return ~crc;
}

}  // namespace flowstone
