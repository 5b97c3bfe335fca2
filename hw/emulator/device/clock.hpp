// SPDX-License-Identifier: Apache-2.0
// A port's clock: nanoseconds that the host sets, and what a cycle of the card adds to them.
#pragma once

#include <time.h>

#include <cstdint>

#include "flowstone/abi.h"

namespace flowstone::card {

inline uint64_t monotonic_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

inline constexpr uint64_t kCyclesPerSecond = 300'000'000;
inline constexpr uint32_t kDefaultTimeIncrement = 0x35555555;  // 3.33 ns
inline constexpr uint32_t kDefaultTickCycles = 300'000;        // 1 ms

inline uint64_t cycles_to_ns(uint64_t cycles) { return cycles * 10 / 3; }

class CardClock {
 public:
  void set(uint64_t time_ns, uint64_t monotonic_now_ns) {
    base_ns_ = time_ns;
    base_monotonic_ns_ = monotonic_now_ns;
  }

  void set_increment(uint32_t increment, uint64_t monotonic_now_ns) {
    set(at(monotonic_now_ns), monotonic_now_ns);
    increment_ = increment;
  }
  uint32_t increment() const { return increment_; }

  uint64_t at(uint64_t monotonic_now_ns) const {
    using Wide = unsigned __int128;
    const Wide cycles = Wide{monotonic_now_ns - base_monotonic_ns_} * kCyclesPerSecond / 1'000'000'000;
    return base_ns_ + static_cast<uint64_t>(cycles * increment_ >> FS_CARD_TAP_REGISTERS_TIME_FRACTION_BITS);
  }

 private:
  uint64_t base_ns_ = 0;
  uint64_t base_monotonic_ns_ = monotonic_ns();
  uint32_t increment_ = kDefaultTimeIncrement;
};

}  // namespace flowstone::card
