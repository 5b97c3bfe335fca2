// SPDX-License-Identifier: Apache-2.0
#include "flow_table.hpp"

#include <cstring>

#include "bit_packing.hpp"

namespace flowstone::columns {
namespace {

inline uint32_t slots_log2(uint32_t flows) { return 1 + width_of(flows); }

}  // namespace

FlowTable::FlowTable(Memory& memory, uint32_t max_flows, const Secret& secret)
    : flows_(memory.take<Flow>(max_flows)),
      slots_(memory.take<uint32_t>(size_t{1} << slots_log2(max_flows))),
      secret_(secret) {}

void FlowTable::clear(uint32_t packets) {
  slot_shift_ = 32 - slots_log2(packets);
  count_ = 0;
  hash_is_secret_ = false;
  steps_ = 0;
  most_steps_ = kMostStepsPerPacket * packets;
  clear_slots();
}

void FlowTable::clear_slots() { std::memset(slots_, 0, (size_t{1} << (32 - slot_shift_)) * sizeof *slots_); }

uint32_t FlowTable::find_on_or_add(const FlowKey& key, uint32_t hash) {
  const uint32_t mask = ~0u >> slot_shift_;
  uint32_t slot = hash >> slot_shift_;
  for (uint32_t entry = slots_[slot]; entry != kFreeSlot; entry = slots_[slot]) {
    const uint32_t row = (entry & kRowMask) - 1;
    if ((entry ^ hash << kRowBits) >> kRowBits == 0 && flows_[row].key == key) {
      return row;
    }
    slot = (slot + 1) & mask;
    if (++steps_ == most_steps_) {
      spread_in_secret();
      hash = hash_of(key);
      slot = hash >> slot_shift_;
    }
  }
  return add(key, slot, hash);
}

uint32_t FlowTable::add(const FlowKey& key, uint32_t slot, uint32_t hash) {
  const uint32_t row = count_++;
  slots_[slot] = entry_of(hash, row);
  flows_[row].key = key;
  flows_[row].senders[0].direction_code = 0;
  flows_[row].senders[1].direction_code = 0;
  return row;
}

/** Gives every flow a slot that its sender could not foresee. */
void FlowTable::spread_in_secret() {
  hash_is_secret_ = true;
  clear_slots();
  const uint32_t mask = ~0u >> slot_shift_;
  for (uint32_t row = 0; row < count_; row++) {
    const uint32_t hash = secret_.hash(flows_[row].key);
    uint32_t slot = hash >> slot_shift_;
    while (slots_[slot] != kFreeSlot) {
      slot = (slot + 1) & mask;
    }
    slots_[slot] = entry_of(hash, row);
  }
}

}  // namespace flowstone::columns
