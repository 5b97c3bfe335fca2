// SPDX-License-Identifier: Apache-2.0
// Faults in slots: what a head that comes too early, or a copy in the middle of a write, would let a host see. They are committed
// between the slots and the head that covers them; what only comes late is put right a little later.
#pragma once

#include <deque>
#include <vector>

#include "../device/clock.hpp"
#include "../device/faults.hpp"
#include "flowstone/abi.h"

namespace flowstone::card {

class SlotFaults {
 public:
  SlotFaults(const std::vector<FaultSpec>& faults, FaultWindow& window);

  bool is_empty() const { return faults_.empty(); }

  /** A start: positions begin anew. */
  void begin() { repairs_.clear(); }

  /** Slots from first on are written, written_packets in the whole run, and no head covers them yet. Returns whether the memory refused them. */
  bool before_head(uint32_t ring, fs_ring_target& target, uint64_t written_packets, uint64_t first);

  /** Writes what was late. Returns when there will be more to write. */
  uint64_t repair(const fs_ring_target* targets, uint64_t now_ns);

 private:
  struct Fault {
    FaultSpec spec;
    std::vector<FaultTrigger> triggers;  // of each ring
  };
  struct Repair {
    uint64_t due_ns;
    uint32_t ring;
    uint64_t position;
    fs_packet_record record;
  };

  bool commit(const FaultSpec& spec, uint32_t ring, fs_ring_target& target, uint64_t first);
  void delay(const FaultSpec& spec, uint32_t ring, fs_ring_target& target, uint64_t position, size_t kept_bytes);

  FaultWindow& window_;
  std::vector<Fault> faults_;
  std::deque<Repair> repairs_;
};

}  // namespace flowstone::card
