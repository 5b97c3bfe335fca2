// SPDX-License-Identifier: Apache-2.0
// A kernel's registers as they lie in memory that the card and the programs at it share. The card stores what its engine knows; the
// reader applies what a read does on the bus. So a look at a ring's head costs what it costs on a real card, or less, and asks nobody.
//
// Every word is stored and loaded whole, counters by 64 bits. A head is stored with release after its slots, and loaded with acquire:
// who has read a head may copy the slots below it.
#pragma once

#include <cstring>

#include "kernels.hpp"

namespace flowstone::card {

/** One kernel's share of the window. Zeroed memory is a valid one. */
struct RegisterPage {
  uint64_t words[kRegisterBytes / 8];
  uint32_t held_high[kRegisterBytes / 8];
};

inline constexpr uint32_t ring_offset(uint32_t ring, size_t field) {
  return static_cast<uint32_t>(offsetof(fs_card_ring_registers, rings) + ring * sizeof(fs_card_ring_state) + field);
}

class RegisterFile {
 public:
  RegisterFile(RegisterPage& page, KernelKind kind) : page_(&page), kind_(kind) {}

  /** What the bus gives for a read, with what a read does: done is cleared, a counter's high word is held for the next read. */
  uint32_t read(uint32_t offset_bytes) {
    if (offset_bytes % 4 != 0 || offset_bytes >= kRegisterBytes) return 0;
    if (offset_bytes == kControlOffset) return __atomic_fetch_and(word(offset_bytes), ~(kDone | kReady), __ATOMIC_ACQ_REL);
    if (!is_counter(offset_bytes)) return __atomic_load_n(word(offset_bytes), __ATOMIC_ACQUIRE);
    uint32_t* held = &page_->held_high[offset_bytes / 8];
    if (offset_bytes % 8 != 0) return __atomic_load_n(held, __ATOMIC_RELAXED);
    const uint64_t value = get64(offset_bytes);
    __atomic_store_n(held, static_cast<uint32_t>(value >> 32), __ATOMIC_RELAXED);
    return static_cast<uint32_t>(value);
  }

  /** A ring's credit is the one register that the host writes without asking the card. */
  static bool is_credit(KernelKind kind, uint32_t offset_bytes) {
    return kind == KernelKind::kRings && is_ring_state(offset_bytes) &&
           offset_bytes % sizeof(fs_card_ring_state) == offsetof(fs_card_ring_state, credit);
  }

  /** The low word of the position up to which slots are given back. What goes back, or beyond the head, changes nothing. */
  void write_credit(uint32_t offset_bytes, uint32_t asked) {
    const uint32_t head_low = static_cast<uint32_t>(get64(offset_bytes + offsetof(fs_card_ring_state, head)));
    uint32_t credit_low = __atomic_load_n(word(offset_bytes), __ATOMIC_RELAXED);
    while (asked - credit_low <= head_low - credit_low &&
           !__atomic_compare_exchange_n(word(offset_bytes), &credit_low, asked, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED)) {
    }
  }

  // ---- The card's side ----
  uint32_t get32(uint32_t offset_bytes) const { return __atomic_load_n(word(offset_bytes), __ATOMIC_ACQUIRE); }
  uint64_t get64(uint32_t offset_bytes) const { return __atomic_load_n(&page_->words[offset_bytes / 8], __ATOMIC_ACQUIRE); }
  void set32(uint32_t offset_bytes, uint32_t value) { __atomic_store_n(word(offset_bytes), value, __ATOMIC_RELEASE); }
  void set64(uint32_t offset_bytes, uint64_t value) {
    __atomic_store_n(&page_->words[offset_bytes / 8], value, __ATOMIC_RELEASE);
  }

 private:
  static bool is_ring_state(uint32_t offset_bytes) {
    return offset_bytes >= offsetof(fs_card_ring_registers, rings) && offset_bytes < offsetof(fs_card_ring_registers, reserved_1024);
  }

  /** Counters are those 64-bit registers that change by themselves: their halves have to fit together. */
  bool is_counter(uint32_t offset_bytes) const {
    if (kind_ == KernelKind::kTap) {
      return offset_bytes >= offsetof(fs_card_tap_registers, time_ns) && offset_bytes < offsetof(fs_card_tap_registers, reserved_344);
    }
    if (kind_ == KernelKind::kSource) {
      return offset_bytes >= offsetof(fs_card_source_registers, sent_packets) &&
             offset_bytes < offsetof(fs_card_source_registers, reserved_296);
    }
    if (is_ring_state(offset_bytes)) {
      return offset_bytes % sizeof(fs_card_ring_state) >= offsetof(fs_card_ring_state, head);
    }
    return offset_bytes >= offsetof(fs_card_ring_registers, misdirected_packets) &&
           offset_bytes < offsetof(fs_card_ring_registers, reserved_296);
  }

  uint32_t* word(uint32_t offset_bytes) const {
    return reinterpret_cast<uint32_t*>(reinterpret_cast<uint8_t*>(page_->words) + offset_bytes);
  }

  RegisterPage* page_;
  KernelKind kind_;
};

}  // namespace flowstone::card
