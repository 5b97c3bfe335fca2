// SPDX-License-Identifier: Apache-2.0
// ht_ring as a model: records in, slots of up to eight rings out, as docs/formats/ring-protocol.md has a producer do it. The bulk goes
// through the parser library's scatter; here is what stops it: no room, a time to be told, a ring that is not there.
#pragma once

#include <array>
#include <vector>

#include "../device/memory.hpp"
#include "../device/register_file.hpp"
#include "slot_faults.hpp"
#include "tap_model.hpp"

namespace flowstone::card {

class RingsModel {
 public:
  RingsModel(RegisterFile registers, DeviceMemory& memory, const std::vector<FaultSpec>& faults, FaultWindow& window);

  void write(uint32_t offset_bytes, uint32_t value);
  bool runs() const { return runs_; }

  /** Puts a port's records into their rings. Returns how many are dealt with: all, unless a full ring is to be waited for. */
  uint32_t take(uint32_t port, const TapModel& tap, const Parsed& parsed, bool may_wait);

  /** The ring that take() stopped for is as full as it was then. */
  bool waits_for_room();

  /** No later packet of the port is earlier than this. */
  void tick(uint32_t port, uint64_t time_ns);

  /** Shows the host what is in memory by now. */
  void publish();

  /** Returns when something is due that nobody asks for, UINT64_MAX if never. */
  uint64_t repair(uint64_t now_ns) { return slot_faults_.is_empty() ? UINT64_MAX : slot_faults_.repair(targets_.data(), now_ns); }

 private:
  /** What a ring keeps beside its target. */
  struct Books {
    uint64_t credit = 0;
    uint64_t time_position = 0;  // of the latest TIME record
    uint64_t control_records = 0;
    uint64_t dropped_packets = 0;
    uint64_t lost_recorded = 0;
    uint64_t lost_packets = 0;  // since the latest LOSS record, as the two times
    uint64_t first_lost_ns = 0;
    uint64_t last_lost_ns = 0;
    uint64_t published_position = 0;
    uint64_t published_offered = 0;
    bool is_full = false;
    bool write_failed = false;
  };
  enum class Fate { kPlace, kDrop, kWait };

  void start();
  void stop();
  void begin(uint32_t ring);
  Fate deal(uint32_t ring, const fs_raw_packet& packet, bool may_wait);
  void drop(uint32_t ring, const fs_raw_packet& packet);
  bool needs_time(uint32_t ring, uint64_t time_ns) const;
  bool has_room(uint32_t ring, uint64_t slots);
  void refresh_credit(uint32_t ring);
  void refresh_limit(uint32_t ring);
  void tell_loss(uint32_t ring);
  void tell_time(uint32_t ring, uint64_t time_ns, uint64_t met_packets);
  template <typename Record>
  void put(uint32_t ring, Record& record, uint32_t kind);
  void publish(uint32_t ring);
  uint64_t written_packets(uint32_t ring) const { return targets_[ring].position - books_[ring].control_records; }
  void show_counters(uint32_t ring);
  uint64_t settled_ns() const;
  bool is_any_port_known() const { return is_port_known_[0] || is_port_known_[1]; }

  RegisterFile registers_;
  DeviceMemory& memory_;
  SlotFaults slot_faults_;
  std::vector<uint8_t> nowhere_;  // what a ring writes to whose address the card does not have
  bool runs_ = false;
  bool waits_ = false;
  uint32_t waited_for_ = 0;
  uint32_t ring_count_ = 0;
  uint32_t slots_log2_ = FS_CARD_RING_REGISTERS_LEAST_SLOTS_LOG2;
  uint64_t misdirected_packets_ = 0;
  uint64_t discarded_packets_ = 0;
  std::array<fs_ring_target, kRings> targets_{};
  std::array<Books, kRings> books_{};
  std::array<uint64_t, kPorts> port_ns_{};
  std::array<bool, kPorts> is_port_known_{};
};

}  // namespace flowstone::card
