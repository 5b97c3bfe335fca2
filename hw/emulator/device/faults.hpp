// SPDX-License-Identifier: Apache-2.0
// Faults that the card commits on purpose, and how many of each it has committed: what a tap finds can be held against that.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace flowstone::card {

enum class FaultKind : uint32_t {
  kLateHead,      // the head covers slots that still hold the lap before; they come a little later
  kTornRecord,    // of one slot below the head the second half is still the lap before's; it comes a little later
  kStaleLap,      // one slot below the head stays what it was a lap ago
  kDuplicate,     // a record stands in two slots
  kRefusedWrite,  // the memory refuses a write: the ring's head stays until the next start
  kRefusedRead,   // the memory refuses a read of a source, which sends nothing more
  kSyncError,     // copying from the card fails
  kLateStart,     // a kernel begins a little after XRT has said that it was started
  kHang,          // the kernels do nothing more, nor do they end
  kDeadBus,       // registers read as all ones, copies fail
  kWrongVersion,  // version registers are of a later card
  kWrongMagic,    // magic registers are of another card
  kDeath,         // the card is gone
};
inline constexpr uint32_t kFaultKinds = 13;

const char* name_of(FaultKind kind);

/** One fault of the configuration. Progress is counted in packets received; of faults in slots in packets written to the ring, of a
 *  refused read in packets that the source has sent, of a sync error in copies from the card, of a late start in starts of kernels. */
struct FaultSpec {
  FaultKind kind;
  uint64_t after = 0;  // for the first time after so much
  uint64_t every = 0;  // then again after so much each time; 0: only once
  uint64_t count = UINT64_MAX;
  int ring = -1;  // of faults in slots: this ring; -1: all
  uint64_t delay_us = 2000;  // of what is late
  uint32_t slots = 16;
};

/** KIND[:after=N][,every=N][,count=N][,ring=N][,delay-us=N][,slots=N]. Throws std::invalid_argument that says what is wrong with it. */
FaultSpec parse_fault(const std::string& text);

/** One to a line; empty lines and what follows a # say nothing. */
std::vector<FaultSpec> read_faults(const std::string& path);

/** Says when a fault is due, each time once. */
class FaultTrigger {
 public:
  explicit FaultTrigger(const FaultSpec& spec) : every_(spec.every), left_(spec.count), next_(spec.after) {}

  bool is_due(uint64_t progress) {
    if (left_ == 0 || progress < next_) return false;
    left_ = every_ == 0 ? 0 : left_ - 1;
    next_ = progress + every_;
    return true;
  }

 private:
  uint64_t every_;
  uint64_t left_;
  uint64_t next_;
};

/** What programs at the card have to know of its faults: in memory that they share with it. */
struct FaultWindow {
  uint32_t bus_is_dead;
  uint32_t version_is_wrong;
  uint32_t magic_is_wrong;
  uint32_t reserved;
  uint64_t sync_errors_after;  // 0: none
  uint64_t sync_errors_every;
  uint64_t sync_errors_count;
  uint64_t syncs;  // from the card, of all programs
  uint64_t injected[kFaultKinds];
};

inline void count_fault(FaultWindow& window, FaultKind kind) {
  __atomic_fetch_add(&window.injected[static_cast<uint32_t>(kind)], 1, __ATOMIC_RELAXED);
}

/** What a register read gives once it has come through the bus. */
uint32_t through_bus(FaultWindow& window, uint32_t offset_bytes, uint32_t value);

/** Whether this copy from the card fails. */
bool sync_fails(FaultWindow& window);

}  // namespace flowstone::card
