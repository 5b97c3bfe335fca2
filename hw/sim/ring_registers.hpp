// SPDX-License-Identifier: Apache-2.0
// Where ht_ring's registers are, and bits of them.
#pragma once

#include <cstddef>

#include "flowstone/abi.h"

namespace flowstone::sim {

constexpr uint32_t offset_of_ring(uint32_t ring, size_t field) {
  return static_cast<uint32_t>(offsetof(fs_card_ring_registers, rings) + ring * sizeof(fs_card_ring_state) + field);
}
constexpr uint32_t kStart = 1u << FS_CARD_RING_REGISTERS_START_SHIFT;
constexpr uint32_t kDone = 1u << FS_CARD_RING_REGISTERS_DONE_SHIFT;
constexpr uint32_t kIdle = 1u << FS_CARD_RING_REGISTERS_IDLE_SHIFT;
constexpr uint32_t kReady = 1u << FS_CARD_RING_REGISTERS_READY_SHIFT;
constexpr uint32_t kFull = 1u << FS_CARD_RING_STATE_FULL_SHIFT;
constexpr uint32_t kWriteFailed = 1u << FS_CARD_RING_STATE_WRITE_FAILED_SHIFT;
#define RING_REGISTER(ring, field) offset_of_ring(ring, offsetof(fs_card_ring_state, field))
#define KERNEL_REGISTER(field) static_cast<uint32_t>(offsetof(fs_card_ring_registers, field))

}  // namespace flowstone::sim
