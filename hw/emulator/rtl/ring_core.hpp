// SPDX-License-Identifier: Apache-2.0
// ht_ring, clocked, with the card's memory behind its eight ports: it is always ready, writes a burst when all of it is there, and
// says so in the next cycle; of an address that the card does not have it says that too.
#pragma once

#include <array>
#include <cstring>
#include <deque>

#include "../device/memory.hpp"
#include "Vring_bench.h"
#include "register_port.hpp"
#include "verilated.h"

namespace flowstone::card {

class RingCore {
 public:
  explicit RingCore(DeviceMemory& memory) : memory_(memory), top_(&context_), registers_(top_) {
    top_.reset_n = 0;
    top_.tvalid = 0;
    top_.awready = 0xFF;
    top_.wready = 0xFF;
    top_.bvalid = 0;
  }
  ~RingCore() { top_.final(); }

  Vring_bench& top() { return top_; }
  RegisterPort<Vring_bench>& registers() { return registers_; }
  void end_reset() { top_.reset_n = 1; }

  /** A start: positions begin anew. */
  void begin() {
    credits_ = {};
    written_slots_ = {};
    written_packets_ = 0;
  }

  bool is_ready(uint32_t port) const { return (top_.tready >> port & 1) != 0; }

  template <typename Tap>
  void connect(uint32_t port, const Tap& tap) {
    top_.tvalid = static_cast<uint8_t>((top_.tvalid & ~(1u << port)) | (tap.records_tvalid ? 1u << port : 0));
    if (!tap.records_tvalid) return;
    std::memcpy(reinterpret_cast<uint8_t*>(&top_.tdata) + 64 * port, &tap.records_tdata, 64);
    (port == 0 ? top_.tuser_0 : top_.tuser_1) = tap.records_tuser;
    top_.tdest = static_cast<uint8_t>((top_.tdest & ~(7u << 3 * port)) | uint32_t{tap.records_tdest} << 3 * port);
  }

  void fall() {
    top_.clock = 0;
    top_.eval();
    registers_.before_edge();
    for (uint32_t ring = 0; ring < kRings; ring++) {
      credits_[ring] += top_.probe_released[ring];
      sample(ring);
    }
  }

  void rise() {
    top_.clock = 1;
    top_.eval();
    registers_.after_edge();
    answer();
  }

  /** Slots that the ring has left, of those that the memory knows of. */
  uint64_t free_slots(uint32_t ring, uint32_t slots_log2) const {
    return credits_[ring] + (uint64_t{1} << slots_log2) - written_slots_[ring];
  }
  uint64_t written_packets() const { return written_packets_; }

 private:
  struct Burst {
    uint32_t id;
    uint64_t address;
    uint32_t slots;
  };
  using Slot = std::array<uint8_t, sizeof(fs_packet_record)>;
  struct Channel {
    std::deque<Burst> bursts;
    std::deque<Slot> slots;
    std::deque<std::pair<uint32_t, uint32_t>> answers;  // id, response
  };

  static constexpr uint32_t kOkay = 0, kDecodeError = 3;

  /** What passes at the next edge, everything being ready. */
  void sample(uint32_t ring) {
    Channel& channel = channels_[ring];
    if (top_.awvalid >> ring & 1) {
      channel.bursts.push_back({top_.awid >> 4 * ring & 15u, top_.awaddr[2 * ring] | uint64_t{top_.awaddr[2 * ring + 1]} << 32,
                                static_cast<uint32_t>(top_.awlen >> 8 * ring & 255) + 1});
    }
    if (top_.wvalid >> ring & 1) {
      channel.slots.emplace_back();
      std::memcpy(channel.slots.back().data(), reinterpret_cast<const uint8_t*>(&top_.wdata) + 64 * ring, sizeof(Slot));
    }
    while (!channel.bursts.empty() && channel.slots.size() >= channel.bursts.front().slots) write(ring, channel);
  }

  void write(uint32_t ring, Channel& channel) {
    const Burst burst = channel.bursts.front();
    channel.bursts.pop_front();
    const uint64_t bytes = burst.slots * sizeof(Slot);
    const bool is_there = burst.address <= kMemoryBytes && bytes <= kMemoryBytes - burst.address;
    for (uint32_t slot = 0; slot < burst.slots; slot++) {
      fs_packet_record record;
      std::memcpy(&record, channel.slots.front().data(), sizeof record);
      if (is_there) std::memcpy(memory_.at(burst.address + slot * sizeof record), &record, sizeof record);
      const uint32_t kind = record.descriptor >> FS_PACKET_RECORD_KIND_SHIFT & FS_PACKET_RECORD_KIND_MASK;
      written_packets_ += kind != FS_RECORD_KIND_TIME && kind != FS_RECORD_KIND_LOSS;
      channel.slots.pop_front();
    }
    written_slots_[ring] += burst.slots;
    channel.answers.emplace_back(burst.id, is_there ? kOkay : kDecodeError);
  }

  /** bready is always there. */
  void answer() {
    uint32_t valid = 0, ids = 0, responses = 0;
    for (uint32_t ring = 0; ring < kRings; ring++) {
      Channel& channel = channels_[ring];
      if (channel.answers.empty()) continue;
      const auto [id, response] = channel.answers.front();
      channel.answers.pop_front();
      valid |= 1u << ring;
      ids |= id << 4 * ring;
      responses |= response << 2 * ring;
    }
    top_.bvalid = static_cast<uint8_t>(valid);
    top_.bid = ids;
    top_.bresp = static_cast<uint16_t>(responses);
  }

  DeviceMemory& memory_;
  VerilatedContext context_;
  Vring_bench top_;
  RegisterPort<Vring_bench> registers_;
  std::array<Channel, kRings> channels_;
  std::array<uint64_t, kRings> credits_{};
  std::array<uint64_t, kRings> written_slots_{};
  uint64_t written_packets_ = 0;
};

}  // namespace flowstone::card
