// SPDX-License-Identifier: Apache-2.0
// What programs at the card see of it without asking: the kernels' registers, runs that have ended, and faults that happen on the way.
#pragma once

#include "faults.hpp"
#include "register_file.hpp"

namespace flowstone::card {

struct CardWindow {
  // 1: the engine answers each access to a register itself, so the pages hold nothing.
  uint32_t engine_answers;
  uint32_t reserved;
  uint64_t completed_runs[kKernels];
  FaultWindow faults;
  RegisterPage kernels[kKernels];
};

/** A card and a library of different builds must not share memory: so many bytes in the low half, a version in the high one. */
inline constexpr uint64_t kWindowLayout = uint64_t{1} << 32 | sizeof(CardWindow);

/** Reading it from the page would be what the card last wrote there; but time goes on. */
inline bool is_time(KernelKind kind, uint32_t offset_bytes) {
  return kind == KernelKind::kTap && offset_bytes == offsetof(fs_card_tap_registers, time_ns);
}

inline RegisterFile registers_of(CardWindow& window, uint32_t kernel) {
  return RegisterFile(window.kernels[kernel], kKernelList[kernel].kind);
}

}  // namespace flowstone::card
