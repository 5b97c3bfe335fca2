// SPDX-License-Identifier: Apache-2.0
#include "column_shape.hpp"

#include <algorithm>

#include "bit_packing.hpp"

namespace flowstone::columns {
namespace {

constexpr uint32_t kWidths = 33;  // 0 to 32

/** Neighbouring values are often alike: counted apart, one increment need not wait for the other. */
constexpr uint32_t kCounters = 2;

/** Of a column that has so many; never twice as many. */
constexpr uint32_t kFewestSamples = 256;

/** What looking for exceptions takes for each row, in bits that are worth that time. */
constexpr uint64_t kSearchCost = 1;
constexpr uint64_t kExceptionCost = 2;

/** The widths that occur in a sample, from the narrowest on, and how many values are wider, scaled to all rows. */
struct Widths {
  uint32_t count = 0;
  uint32_t occurring[kWidths];
  uint32_t wider[kWidths];
};

/** Which rows are exceptions: a list or a bitmap, whichever is shorter. */
inline uint64_t place_bits(uint64_t exceptions, uint32_t rows) {
  return std::min<uint64_t>(exceptions * width_of(rows - 1), rows);
}

Widths sample(const uint32_t* values, uint32_t rows, uint32_t base, uint32_t widest) {
  uint32_t counts[kCounters][kWidths] = {};
  const uint32_t stride = std::max(1u, rows / kFewestSamples);
  uint32_t row = 0;
  for (; row + stride < rows; row += kCounters * stride) {
    counts[0][width_of(values[row] - base)]++;
    counts[1][width_of(values[row + stride] - base)]++;
  }
  uint32_t samples = row / stride;
  if (row < rows) {
    counts[0][width_of(values[row] - base)]++;
    samples++;
  }
  const float scale = static_cast<float>(rows) / static_cast<float>(samples);
  Widths widths;
  uint32_t left = samples;
  for (uint32_t width = 0; width < widest; width++) {
    const uint32_t count = counts[0][width] + counts[1][width];
    left -= count;
    if (count > 0) {
      widths.occurring[widths.count] = width;
      widths.wider[widths.count++] = std::max(1u, static_cast<uint32_t>(static_cast<float>(left) * scale));
    }
  }
  return widths;
}

/** Bits of the high parts of what is wider than a width, as a column of their own. */
uint64_t high_bits(const Widths& widths, uint32_t width, uint32_t widest, uint32_t levels) {
  const uint32_t rows = widths.wider[width];
  uint64_t lowest = uint64_t{rows} * (widest - widths.occurring[width]);
  for (uint32_t next = width + 1; levels > 1 && next < widths.count; next++) {
    const uint64_t exceptions = widths.wider[next];
    const uint64_t bits = uint64_t{rows} * (widths.occurring[next] - widths.occurring[width]) +
                          place_bits(exceptions, rows) +
                          exceptions * (kExceptionCost + widest - widths.occurring[next]);
    lowest = std::min(lowest, bits);
  }
  return lowest;
}

}  // namespace

ColumnShape choose_shape(const uint32_t* values, uint32_t rows, uint32_t levels) {
  if (rows == 0) {
    return {0, 0, false};
  }
  uint32_t smallest = ~0u, largest = 0;
  for (uint32_t row = 0; row < rows; row++) {
    const uint32_t value = values[row];
    smallest = value < smallest ? value : smallest;
    largest = value > largest ? value : largest;
  }
  const bool base_pays = uint64_t{rows} * width_of(smallest) > 32;
  const uint32_t base = base_pays ? smallest : 0;
  const uint32_t widest = width_of(largest - base);
  ColumnShape best = {base, widest, false};
  if (levels > 1 && widest > 0) {
    const Widths widths = sample(values, rows, base, widest);
    uint64_t lowest = uint64_t{rows} * widest;
    for (uint32_t i = 0; i < widths.count; i++) {
      const uint64_t exceptions = widths.wider[i];
      const uint64_t cost = rows * (widths.occurring[i] + kSearchCost) + place_bits(exceptions, rows) +
                            exceptions * kExceptionCost + high_bits(widths, i, widest, levels - 1);
      if (cost < lowest) {
        lowest = cost;
        best = {base, widths.occurring[i], true};
      }
    }
  }
  return best.width == 32 ? ColumnShape{0, 32, false} : best;  // all values fit as they are
}

}  // namespace flowstone::columns
