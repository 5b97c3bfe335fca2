// SPDX-License-Identifier: Apache-2.0
// Numbers from bytes. memcpy, because packets are not aligned; compilers make one load of it.
#pragma once

#include <cstdint>
#include <cstring>

namespace flowstone {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "records are little-endian and written as they are in memory");

template <typename Number>
inline Number load(const uint8_t* bytes) {
  Number value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

inline uint16_t big_endian(uint16_t value) { return __builtin_bswap16(value); }
inline uint32_t big_endian(uint32_t value) { return __builtin_bswap32(value); }
inline uint64_t big_endian(uint64_t value) { return __builtin_bswap64(value); }

inline uint16_t network16(const uint8_t* bytes) { return big_endian(load<uint16_t>(bytes)); }
inline uint32_t network32(const uint8_t* bytes) { return big_endian(load<uint32_t>(bytes)); }

}  // namespace flowstone
