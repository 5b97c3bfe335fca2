// SPDX-License-Identifier: Apache-2.0
// Gathers the values that the slots of a column cannot hold: their rows and their high bits. No branch depends on a
// value: which row is an exception cannot be foreseen.
#pragma once

#include <array>
#include <cstdint>

#include "column_shape.hpp"

#if defined(__SSSE3__)
#include <tmmintrin.h>
#endif

namespace flowstone::columns {

/** What is none is written over by the next row. */
inline uint32_t collect_one_by_one(const uint32_t* values, uint32_t first, uint32_t rows, const ColumnShape& shape,
                                   uint32_t count, uint32_t* exception_rows, uint32_t* exception_values) {
  for (uint32_t row = first; row < rows; row++) {
    const uint32_t high = (values[row] - shape.base) >> shape.width;
    exception_rows[count] = row;
    exception_values[count] = high;
    count += high != 0;
  }
  return count;
}

#if defined(__SSSE3__)

constexpr uint32_t kLanes = 4;

/** For each set of lanes the bytes that bring them together at the front. */
constexpr std::array<std::array<uint8_t, 16>, 1u << kLanes> make_gatherings() {
  std::array<std::array<uint8_t, 16>, 1u << kLanes> gatherings{};
  for (uint32_t lanes = 0; lanes < gatherings.size(); lanes++) {
    uint32_t byte = 0;
    for (uint32_t lane = 0; lane < kLanes; lane++) {
      for (uint32_t i = 0; (lanes >> lane & 1u) != 0 && i < 4; i++) {
        gatherings[lanes][byte++] = static_cast<uint8_t>(4 * lane + i);
      }
    }
  }
  return gatherings;
}

alignas(16) inline constexpr auto kGatherings = make_gatherings();

inline __m128i* vector_at(uint32_t* target) { return reinterpret_cast<__m128i*>(target); }

/** Returns how many there are. Writes up to three rows more than that, and there is room for one more than rows. */
inline uint32_t collect_exceptions(const uint32_t* values, uint32_t rows, const ColumnShape& shape,
                                   uint32_t* exception_rows, uint32_t* exception_values) {
  const __m128i base = _mm_set1_epi32(static_cast<int>(shape.base));
  const __m128i width = _mm_cvtsi32_si128(static_cast<int>(shape.width));
  const __m128i step = _mm_set1_epi32(kLanes);
  __m128i row_numbers = _mm_setr_epi32(0, 1, 2, 3);
  uint32_t row = 0, count = 0;
  for (; row + kLanes <= rows; row += kLanes) {
    const __m128i found = _mm_loadu_si128(reinterpret_cast<const __m128i*>(values + row));
    const __m128i high = _mm_srl_epi32(_mm_sub_epi32(found, base), width);
    const int none = _mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(high, _mm_setzero_si128())));
    const uint32_t lanes = static_cast<uint32_t>(none) ^ 0xFu;
    const __m128i gathering = _mm_load_si128(reinterpret_cast<const __m128i*>(kGatherings[lanes].data()));
    _mm_storeu_si128(vector_at(exception_rows + count), _mm_shuffle_epi8(row_numbers, gathering));
    _mm_storeu_si128(vector_at(exception_values + count), _mm_shuffle_epi8(high, gathering));
    count += static_cast<uint32_t>(__builtin_popcount(lanes));
    row_numbers = _mm_add_epi32(row_numbers, step);
  }
  return collect_one_by_one(values, row, rows, shape, count, exception_rows, exception_values);
}

#else

inline uint32_t collect_exceptions(const uint32_t* values, uint32_t rows, const ColumnShape& shape,
                                   uint32_t* exception_rows, uint32_t* exception_values) {
  return collect_one_by_one(values, 0, rows, shape, 0, exception_rows, exception_values);
}

#endif

}  // namespace flowstone::columns
