// SPDX-License-Identifier: Apache-2.0
#include "bit_packing.hpp"

#include <array>
#include <cstring>
#include <utility>

namespace flowstone::columns {
namespace {

/** So many numbers end where a byte ends, whatever their width. */
constexpr uint32_t kGroup = 8;

inline void store(uint64_t word, uint8_t* target) { std::memcpy(target, &word, sizeof word); }

/** Numbers of one width, all shifts of which the compiler knows. */
template <uint32_t kWidth>
uint8_t* pack_groups(const uint32_t* values, uint32_t count, uint32_t base, uint8_t* target) {
  constexpr uint64_t kMask = (uint64_t{1} << kWidth) - 1;
  for (uint32_t first = 0; first < count; first += kGroup) {
    uint64_t pending = 0;
    uint32_t bits = 0, written = 0;
#pragma GCC unroll 8
    for (uint32_t i = 0; i < kGroup; i++) {
      const uint64_t number = (values[first + i] - base) & kMask;
      pending |= number << bits;
      bits += kWidth;
      if (bits >= 64) {
        store(pending, target + written);
        written += 8;
        bits -= 64;
        pending = bits == 0 ? 0 : number >> (kWidth - bits);
      }
    }
    if (bits > 0) {
      store(pending, target + written);
    }
    target += kWidth;
  }
  return target;
}

using PackGroups = uint8_t* (*)(const uint32_t*, uint32_t, uint32_t, uint8_t*);

template <size_t... kWidths>
constexpr std::array<PackGroups, sizeof...(kWidths)> every_width(std::index_sequence<kWidths...>) {
  return {pack_groups<kWidths + 1>...};
}

constexpr auto kPackGroups = every_width(std::make_index_sequence<32>());

/** Fewer than a group, from a byte's first bit on. */
uint8_t* pack_rest(const uint32_t* values, uint32_t count, uint32_t base, uint32_t width, uint8_t* target) {
  const uint64_t mask = (uint64_t{1} << width) - 1;
  uint64_t pending = 0;
  uint32_t bits = 0;
  for (uint32_t i = 0; i < count; i++) {
    pending |= ((values[i] - base) & mask) << bits;
    bits += width;
    store(pending, target);
    target += bits / 8;
    pending >>= bits & 0x38u;
    bits &= 7;
  }
  return target + (bits > 0);
}

}  // namespace

uint8_t* pack(const uint32_t* values, uint32_t count, uint32_t base, uint32_t width, uint8_t* target) {
  if (width == 0) {
    return target;
  }
  const uint32_t grouped = count - count % kGroup;
  target = kPackGroups[width - 1](values, grouped, base, target);
  return pack_rest(values + grouped, count - grouped, base, width, target);
}

}  // namespace flowstone::columns
