// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

namespace flowstone {

// Captured bytes of one frame. Whoever reads asks has() first; the loads themselves do not check.
struct Bytes {
    const uint8_t* data;
    uint32_t length;

    bool has(uint32_t offset, uint32_t count) const {
        return offset <= length && count <= length - offset;
    }
    uint8_t u8(uint32_t offset) const { return data[offset]; }
    uint16_t be16(uint32_t offset) const {
        uint16_t value;
        std::memcpy(&value, data + offset, sizeof value);
        return __builtin_bswap16(value);
    }
    uint32_t be32(uint32_t offset) const { return __builtin_bswap32(raw32(offset)); }
    // In memory order, for copying and hashing.
    uint32_t raw32(uint32_t offset) const {
        uint32_t value;
        std::memcpy(&value, data + offset, sizeof value);
        return value;
    }
    uint64_t raw64(uint32_t offset) const {
        uint64_t value;
        std::memcpy(&value, data + offset, sizeof value);
        return value;
    }
};

}  // namespace flowstone
