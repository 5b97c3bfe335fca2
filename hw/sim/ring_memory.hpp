// SPDX-License-Identifier: Apache-2.0
// The card's memory at one AXI4 write port. The memory can be slow, can answer in any order, and can make the address and the data of a
// burst wait for each other as AXI4 allows. A burst is in memory only from its answer on, so a slot that is shown too early is stale.
// The memory checks the rules that the port has to keep.
#pragma once

#include <deque>
#include <functional>

#include "check.hpp"
#include "ring_packet.hpp"

namespace flowstone::sim {

/** Which handshake of a burst waits for another one. A subordinate may do any of these (AXI4, A3.3.1). */
enum class HandshakeOrder {
  kIndependent,
  kAddressAfterData,      // AWREADY only after WVALID of the same burst
  kAddressAfterLastData,  // AWREADY only after all data of the same burst was taken
  kDataAfterAddress,      // WREADY only after the address of the same burst was taken
};

struct MemoryBehaviour {
  uint64_t least_latency = 0;  // cycles from the last slot to the answer
  uint64_t most_latency = 0;
  unsigned address_stall_percent = 0;
  unsigned data_stall_percent = 0;
  bool answers_in_order = false;
  HandshakeOrder order = HandshakeOrder::kIndependent;
  bool ready_after_valid = false;  // AWREADY and WREADY only after the VALID of their own channel
  std::function<bool(uint64_t burst)> refuses;  // by number, from 0
};

/** Always ready, and answers after so many cycles. */
inline MemoryBehaviour latency(uint64_t least, uint64_t most) {
  MemoryBehaviour behaviour;
  behaviour.least_latency = least;
  behaviour.most_latency = most;
  return behaviour;
}

struct MemoryPort {
  bool awvalid;
  uint32_t awid;
  uint64_t awaddr;
  uint32_t awlen;
  uint32_t awsize;
  uint32_t awburst;
  bool wvalid;
  const uint32_t* wdata;
  const uint32_t* wstrb;
  bool wlast;
};

class RingMemory {
 public:
  static constexpr unsigned kIds = 16;

  RingMemory(uint64_t base, uint32_t slots_log2, uint64_t seed)
      : base_(base), slots_(uint64_t{1} << slots_log2), memory_(slots_), random_(seed) {}

  MemoryBehaviour behaviour;

  bool awready = false;
  bool wready = false;
  bool bvalid = false;
  uint32_t bid = 0;
  uint32_t bresp = 0;

  uint64_t bursts() const { return bursts_; }
  uint64_t written_slots() const { return written_slots_; }
  uint64_t whole_bursts() const { return whole_bursts_; }
  uint64_t most_outstanding() const { return most_outstanding_; }
  uint64_t overtaken() const { return overtaken_; }
  /** Slots that were taken before the address of their burst. */
  uint64_t early_slots() const { return early_slots_; }
  uint64_t first_refused_slot() const { return first_refused_slot_; }
  bool is_idle() const {
    return addressed_.empty() && written_.empty() && data_.slots == 0 && unanswered_.empty() && !bvalid;
  }
  const Slot& slot(uint64_t position) const { return memory_[position & (slots_ - 1)]; }

  /** A kernel is about to start, at slot 0. What the one before it wrote stays. */
  void begin() {
    CHECK(is_idle());
    next_slot_ = 0;
    first_refused_slot_ = UINT64_MAX;
  }

  /** A clock edge: what the port and this memory showed before it. Answers are always taken. */
  void edge(const MemoryPort& port, uint64_t cycle) {
    if (bvalid) {
      ids_in_use_ &= ~(1u << bid);
      bvalid = false;
    }
    check_held(port);
    const bool address_waits = port.awvalid && !awready;
    const bool slot_waits = port.wvalid && !wready;
    if (port.awvalid && awready) {
      take_address(port);
    }
    if (port.wvalid && wready) {
      take_slot(port);
    }
    while (!addressed_.empty() && !written_.empty()) {
      complete_burst(cycle);
    }
    answer(cycle);
    awready = behaviour.address_stall_percent == 0 || !random_.chance(behaviour.address_stall_percent);
    awready &= may_take_address(slot_waits) && (address_waits || !behaviour.ready_after_valid);
    wready = behaviour.data_stall_percent == 0 || !random_.chance(behaviour.data_stall_percent);
    wready &= may_take_slot() && (slot_waits || !behaviour.ready_after_valid);
  }

 private:
  static constexpr uint64_t kMaxBurstSlots = 16;

  struct Data {
    uint64_t slots = 0;
    std::array<Slot, kMaxBurstSlots> slot;
  };
  struct Burst {
    uint64_t number;
    uint32_t id;
    uint64_t first_slot;
    uint64_t slots;
    uint64_t answer_cycle;
    Data data;
  };

  /** Whether the address that comes next may be taken, by the order of handshakes. */
  bool may_take_address(bool slot_waits) const {
    switch (behaviour.order) {
      case HandshakeOrder::kAddressAfterData:
        return written_bursts_ + (data_.slots > 0 || slot_waits ? 1 : 0) > bursts_;
      case HandshakeOrder::kAddressAfterLastData:
        return written_bursts_ > bursts_;
      default:
        return true;
    }
  }
  bool may_take_slot() const { return behaviour.order != HandshakeOrder::kDataAfterAddress || bursts_ > written_bursts_; }

  /** What is valid stays as it is until it is taken. */
  void check_held(const MemoryPort& port) {
    if (address_waits_) {
      CHECK(port.awvalid);
      CHECK_EQUAL(held_address_, port.awaddr);
      CHECK_EQUAL(held_length_, port.awlen);
      CHECK_EQUAL(held_id_, port.awid);
    }
    address_waits_ = port.awvalid && !awready;
    held_address_ = port.awaddr;
    held_length_ = port.awlen;
    held_id_ = port.awid;
    if (data_waits_) {
      CHECK(port.wvalid);
      CHECK_EQUAL(held_last_, port.wlast);
      CHECK(memcmp(held_data_.data(), port.wdata, sizeof(Slot)) == 0);
    }
    data_waits_ = port.wvalid && !wready;
    if (data_waits_) {
      held_last_ = port.wlast;
      memcpy(held_data_.data(), port.wdata, sizeof(Slot));
    }
  }

  void take_address(const MemoryPort& port) {
    CHECK_EQUAL(6, port.awsize);
    CHECK_EQUAL(1, port.awburst);
    CHECK_EQUAL(0, port.awaddr % sizeof(Slot));
    CHECK(port.awlen < 16);
    const uint64_t bytes = (port.awlen + 1) * sizeof(Slot);
    CHECK_EQUAL(port.awaddr / 1024, (port.awaddr + bytes - 1) / 1024);
    CHECK_EQUAL(port.awaddr / 4096, (port.awaddr + bytes - 1) / 4096);
    CHECK(port.awaddr >= base_ && port.awaddr + bytes <= base_ + slots_ * sizeof(Slot));
    CHECK_EQUAL(0, ids_in_use_ >> port.awid & 1);
    Burst burst = {};
    burst.number = bursts_++;
    burst.id = port.awid;
    burst.first_slot = (port.awaddr - base_) / sizeof(Slot) & (slots_ - 1);
    CHECK_EQUAL(next_slot_, burst.first_slot);
    next_slot_ = (next_slot_ + port.awlen + 1) & (slots_ - 1);
    burst.slots = port.awlen + 1;
    whole_bursts_ += burst.slots == 16;
    ids_in_use_ |= 1u << port.awid;
    const uint64_t outstanding = static_cast<uint64_t>(__builtin_popcount(ids_in_use_));
    most_outstanding_ = outstanding > most_outstanding_ ? outstanding : most_outstanding_;
    addressed_.push_back(burst);
  }

  /** A slot may come before the address of its burst: its data is kept until then. */
  void take_slot(const MemoryPort& port) {
    CHECK(port.wstrb[0] == UINT32_MAX && port.wstrb[1] == UINT32_MAX);
    if (data_.slots == kMaxBurstSlots) {
      CHECK(!"more slots than a burst may have");
      return;
    }
    early_slots_ += bursts_ == written_bursts_;
    memcpy(data_.slot[data_.slots].data(), port.wdata, sizeof(Slot));
    data_.slots++;
    written_slots_++;
    if (!addressed_.empty()) {
      CHECK_EQUAL(data_.slots == addressed_.front().slots, port.wlast);
    }
    if (port.wlast) {
      written_.push_back(data_);
      written_bursts_++;
      data_.slots = 0;
    }
  }

  /** The oldest burst has its address and all of its data. */
  void complete_burst(uint64_t cycle) {
    Burst& burst = addressed_.front();
    CHECK_EQUAL(burst.slots, written_.front().slots);
    burst.data = written_.front();
    burst.answer_cycle = cycle + random_.between(behaviour.least_latency, behaviour.most_latency);
    unanswered_.push_back(burst);
    addressed_.pop_front();
    written_.pop_front();
  }

  void answer(uint64_t cycle) {
    unsigned due = 0;
    for (const Burst& burst : unanswered_) {
      if (burst.answer_cycle <= cycle) {
        due++;
      } else if (behaviour.answers_in_order) {
        break;
      }
    }
    if (due == 0) {
      return;
    }
    uint64_t chosen = behaviour.answers_in_order ? 0 : random_.below(due);
    size_t index = 0;
    for (;; index++) {
      if (unanswered_[index].answer_cycle <= cycle && chosen-- == 0) {
        break;
      }
    }
    const Burst burst = unanswered_[index];
    overtaken_ += index != 0;
    unanswered_.erase(unanswered_.begin() + static_cast<std::ptrdiff_t>(index));
    bvalid = true;
    bid = burst.id;
    bresp = 0;
    if (behaviour.refuses && behaviour.refuses(burst.number)) {
      bresp = 2 + static_cast<uint32_t>(burst.number & 1);  // SLVERR or DECERR
      first_refused_slot_ = burst.first_slot < first_refused_slot_ ? burst.first_slot : first_refused_slot_;
      return;
    }
    for (uint64_t i = 0; i < burst.slots; i++) {
      memory_[burst.first_slot + i] = burst.data.slot[i];
    }
  }

  const uint64_t base_;
  const uint64_t slots_;
  std::vector<Slot> memory_;
  Random random_;
  std::deque<Burst> addressed_;  // whose data is not complete
  std::deque<Data> written_;     // whose address was not taken
  std::deque<Burst> unanswered_;
  Data data_;  // of the burst whose last slot was not taken
  uint64_t written_bursts_ = 0;
  uint64_t early_slots_ = 0;
  uint32_t ids_in_use_ = 0;
  uint64_t next_slot_ = 0;
  uint64_t bursts_ = 0;
  uint64_t whole_bursts_ = 0;
  uint64_t written_slots_ = 0;
  uint64_t most_outstanding_ = 0;
  uint64_t overtaken_ = 0;
  uint64_t first_refused_slot_ = UINT64_MAX;
  bool address_waits_ = false;
  uint64_t held_address_ = 0;
  uint32_t held_length_ = 0;
  uint32_t held_id_ = 0;
  bool data_waits_ = false;
  bool held_last_ = false;
  Slot held_data_{};
};

}  // namespace flowstone::sim
