// SPDX-License-Identifier: Apache-2.0
// Arrays of w-bit numbers: entry i has bits i*w to i*w + w - 1, the lowest bit of a byte first. Writing touches up to
// kSlackBytes behind the array, which the caller provides.
#pragma once

#include <cstddef>
#include <cstdint>

namespace flowstone::columns {

constexpr uint32_t kSlackBytes = 8;

/** Bits that the largest of these numbers needs. */
inline uint32_t width_of(uint32_t value) { return value == 0 ? 0 : 32 - static_cast<uint32_t>(__builtin_clz(value)); }

/** Bytes that hold count numbers of so many bits. */
inline size_t length_bytes(uint32_t count, uint32_t width) { return (size_t{count} * width + 7) / 8; }

/** Writes the low width bits of (values[i] - base) and returns where they end. */
uint8_t* pack(const uint32_t* values, uint32_t count, uint32_t base, uint32_t width, uint8_t* target);

}  // namespace flowstone::columns
