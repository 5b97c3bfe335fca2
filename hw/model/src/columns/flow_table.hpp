// SPDX-License-Identifier: Apache-2.0
// The flows of the message being packed, found by their key, and what is known of their senders. Open addressing, at
// most half full.
//
// Flows are spread by the hash that their records bring, which costs nothing. It is public, so senders can choose
// thousands of flows that lie in one another's way; a message in which too many slots were passed in vain spreads its
// flows by numbers that nobody outside knows.
#pragma once

#include "flow_key.hpp"
#include "memory.hpp"

namespace flowstone::columns {

/** One endpoint of a flow: what the direction column says of its packets, and what its latest one makes expect. */
struct Sender {
  uint32_t direction_code;  // 0: it has sent none yet
  uint32_t next_sequence;
  uint32_t acknowledgement;
  uint32_t reserved;
  uint64_t profile;
};

/** Two cache lines: one for the key, one for its senders, A and B. */
struct alignas(64) Flow {
  FlowKey key;
  alignas(64) Sender senders[2];
};

/** Names a sender: its flow's row, and 1 for endpoint B. */
struct SenderName {
  uint32_t flow;
  uint32_t side;
};

class FlowTable {
 public:
  FlowTable(Memory& memory, uint32_t max_flows, const Secret& secret);

  /** Makes room for a message of so many packets. */
  void clear(uint32_t packets);

  /** The row of a flow; one that is new gets the next. */
  uint32_t find_or_add(const FlowKey& key) {
    const uint32_t hash = hash_of(key);
    const uint32_t entry = slots_[hash >> slot_shift_];
    const uint32_t row = (entry & kRowMask) - 1;
    if (entry != kFreeSlot && __builtin_expect(flows_[row].key == key, 1)) {
      return row;
    }
    return find_on_or_add(key, hash);
  }

  uint32_t count() const { return count_; }

  /** Slots passed since the table was cleared because another flow was there. */
  uint64_t steps() const { return steps_; }

  Flow* flows() { return flows_; }
  const Flow* flows() const { return flows_; }

 private:
  /** A slot has half of the flow's hash above, and 1 + its row below: few flows are looked at in vain. */
  static constexpr uint32_t kRowBits = 16;
  static constexpr uint32_t kRowMask = (1u << kRowBits) - 1;
  static constexpr uint32_t kFreeSlot = 0;

  /** Slots passed, for each packet; where nobody chose the flows it is about one at most. */
  static constexpr uint64_t kMostStepsPerPacket = 4;

  /** Ring i holds flows whose hashes share residues: multiplied by this their high bits differ. */
  static constexpr uint32_t kSpread = 0x9E3779B9u;

  static uint32_t entry_of(uint32_t hash, uint32_t row) { return hash << kRowBits | (row + 1); }

  uint32_t find_on_or_add(const FlowKey& key, uint32_t hash);
  uint32_t hash_of(const FlowKey& key) const {
    return __builtin_expect(hash_is_secret_, 0) ? secret_.hash(key) : key.flow_hash() * kSpread;
  }
  void clear_slots();
  void spread_in_secret();
  uint32_t add(const FlowKey& key, uint32_t slot, uint32_t hash);

  Flow* flows_;
  uint32_t* slots_;
  Secret secret_;
  uint32_t slot_shift_ = 0;
  uint32_t count_ = 0;
  bool hash_is_secret_ = false;
  uint64_t steps_ = 0;
  uint64_t most_steps_ = 0;
};

}  // namespace flowstone::columns
