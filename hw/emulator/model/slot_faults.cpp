// SPDX-License-Identifier: Apache-2.0
#include "slot_faults.hpp"

#include <algorithm>
#include <cstring>

#include "../device/kernels.hpp"

namespace flowstone::card {
namespace {

constexpr uint32_t kGenerationBits = FS_PACKET_RECORD_GENERATION_MASK << FS_PACKET_RECORD_GENERATION_SHIFT;
constexpr size_t kAtomBytes = 32;  // what HBM writes at once

fs_packet_record* slot(const fs_ring_target& target, uint64_t position) {
  return reinterpret_cast<fs_packet_record*>(target.slots_address) + (position & ((uint64_t{1} << target.slots_log2) - 1));
}

uint32_t generation_bits(uint64_t position, uint32_t slots_log2) {
  return static_cast<uint32_t>((position >> slots_log2) % FS_PACKET_RECORD_GENERATIONS + 1) << FS_PACKET_RECORD_GENERATION_SHIFT;
}

/** What the slot held a lap ago; zeros in the first lap, as a host clears a ring before it starts the kernel. */
fs_packet_record lap_before(const fs_packet_record& record, uint64_t position, uint32_t slots_log2) {
  const uint64_t slots = uint64_t{1} << slots_log2;
  fs_packet_record stale = {};
  if (position < slots) return stale;
  stale = record;
  stale.time_low -= 1'000'000;
  stale.sequence ^= 0x5A5A5A5A;
  stale.descriptor = (record.descriptor & ~kGenerationBits) | generation_bits(position - slots, slots_log2);
  return stale;
}

bool is_in_slots(FaultKind kind) { return kind <= FaultKind::kRefusedWrite; }

}  // namespace

SlotFaults::SlotFaults(const std::vector<FaultSpec>& faults, FaultWindow& window) : window_(window) {
  for (const FaultSpec& spec : faults) {
    if (is_in_slots(spec.kind)) faults_.push_back({spec, std::vector<FaultTrigger>(kRings, FaultTrigger(spec))});
  }
}

bool SlotFaults::before_head(uint32_t ring, fs_ring_target& target, uint64_t written_packets, uint64_t first) {
  bool is_refused = false;
  for (Fault& fault : faults_) {
    if (fault.spec.ring >= 0 && static_cast<uint32_t>(fault.spec.ring) != ring) continue;
    if (!fault.triggers[ring].is_due(written_packets)) continue;
    count_fault(window_, fault.spec.kind);
    is_refused |= commit(fault.spec, ring, target, first);
  }
  return is_refused;
}

bool SlotFaults::commit(const FaultSpec& spec, uint32_t ring, fs_ring_target& target, uint64_t first) {
  const uint64_t last = target.position - 1;
  switch (spec.kind) {
    case FaultKind::kLateHead:
      for (uint64_t position = std::max(first, target.position - std::min<uint64_t>(spec.slots, target.position));
           position < target.position; position++) {
        delay(spec, ring, target, position, 0);
      }
      return false;
    case FaultKind::kTornRecord:
      delay(spec, ring, target, last, kAtomBytes);
      return false;
    case FaultKind::kStaleLap:
      *slot(target, last) = lap_before(*slot(target, last), last, target.slots_log2);
      return false;
    case FaultKind::kDuplicate: {
      // The four slots that packets leave free have room for it.
      fs_packet_record copy = *slot(target, last);
      copy.descriptor = (copy.descriptor & ~kGenerationBits) | generation_bits(target.position, target.slots_log2);
      *slot(target, target.position++) = copy;
      return false;
    }
    default:
      return true;
  }
}

/** The slot's first bytes are there, the others come later. */
void SlotFaults::delay(const FaultSpec& spec, uint32_t ring, fs_ring_target& target, uint64_t position, size_t kept_bytes) {
  fs_packet_record* there = slot(target, position);
  repairs_.push_back({monotonic_ns() + spec.delay_us * 1000, ring, position, *there});
  fs_packet_record seen = lap_before(*there, position, target.slots_log2);
  std::memcpy(&seen, there, kept_bytes);
  *there = seen;
}

uint64_t SlotFaults::repair(const fs_ring_target* targets, uint64_t now_ns) {
  while (!repairs_.empty() && repairs_.front().due_ns <= now_ns) {
    const Repair& repair = repairs_.front();
    const fs_ring_target& target = targets[repair.ring];
    // A host that gave the slot up meanwhile may have let the ring come round.
    if (target.position <= repair.position + (uint64_t{1} << target.slots_log2)) *slot(target, repair.position) = repair.record;
    repairs_.pop_front();
  }
  return repairs_.empty() ? UINT64_MAX : repairs_.front().due_ns;
}

}  // namespace flowstone::card
