// SPDX-License-Identifier: Apache-2.0
// ht_pcapsrc, clocked, with the card's memory behind it: it takes each address at once and answers a unit in each cycle from the next
// one on; of what the card does not have it says so.
#pragma once

#include <cstring>
#include <deque>
#include <vector>

#include "../device/faults.hpp"
#include "../device/memory.hpp"
#include "Vpcapsrc_bench.h"
#include "register_port.hpp"
#include "verilated.h"

namespace flowstone::card {

class SourceCore {
 public:
  SourceCore(const DeviceMemory& memory, const std::vector<FaultSpec>& faults, FaultWindow& window)
      : memory_(memory), window_(window), top_(&context_), registers_(top_) {
    for (const FaultSpec& spec : faults) {
      if (spec.kind == FaultKind::kRefusedRead) refused_reads_.emplace_back(spec);
    }
    top_.reset_n = 0;
    top_.memory_arready = 1;
    top_.memory_rvalid = 0;
    top_.frames_tready = 1;  // a tap's never falls
  }
  ~SourceCore() { top_.final(); }

  const Vpcapsrc_bench& top() const { return top_; }
  RegisterPort<Vpcapsrc_bench>& registers() { return registers_; }
  void end_reset() { top_.reset_n = 1; }

  /** Since the card was made. */
  uint64_t sent_packets() const { return sent_packets_; }

  void fall() {
    top_.clock = 0;
    top_.eval();
    registers_.before_edge();
    if (top_.memory_rvalid && top_.memory_rready) units_.pop_front();
    if (top_.memory_arvalid) {
      for (uint64_t unit = 0; unit <= top_.memory_arlen; unit++) {
        units_.push_back({top_.memory_araddr + unit * kUnitBytes, unit == top_.memory_arlen});
      }
    }
    sent_packets_ += top_.frames_tvalid && top_.frames_tlast;
  }

  void rise() {
    top_.clock = 1;
    top_.eval();
    registers_.after_edge();
    answer();
  }

 private:
  struct Unit {
    uint64_t address;
    bool is_last;
  };

  static constexpr uint64_t kUnitBytes = FS_CAPTURE_BLOCK_UNIT_BYTES;
  static constexpr uint32_t kOkay = 0, kSlaveError = 2, kDecodeError = 3;

  void answer() {
    top_.memory_rvalid = !units_.empty();
    if (units_.empty()) return;
    const Unit& unit = units_.front();
    const bool is_there = unit.address <= kMemoryBytes - kUnitBytes;
    top_.memory_rresp = !is_there ? kDecodeError : is_refused() ? kSlaveError : kOkay;
    top_.memory_rlast = unit.is_last;
    if (is_there) std::memcpy(&top_.memory_rdata, memory_.at(unit.address), kUnitBytes);
  }

  bool is_refused() {
    for (FaultTrigger& fault : refused_reads_) {
      if (!fault.is_due(sent_packets_)) continue;
      count_fault(window_, FaultKind::kRefusedRead);
      return true;
    }
    return false;
  }

  const DeviceMemory& memory_;
  FaultWindow& window_;
  std::vector<FaultTrigger> refused_reads_;
  VerilatedContext context_;
  Vpcapsrc_bench top_;
  RegisterPort<Vpcapsrc_bench> registers_;
  std::deque<Unit> units_;  // asked for, and not answered
  uint64_t sent_packets_ = 0;
};

}  // namespace flowstone::card
