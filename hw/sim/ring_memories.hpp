// SPDX-License-Identifier: Apache-2.0
// The eight memories behind ht_ring, at the ports of a bench's module, which has them side by side in vectors.
#pragma once

#include <array>
#include <deque>

#include "ring_memory.hpp"

namespace flowstone::sim {

constexpr uint32_t kRings = FS_CARD_RING_REGISTERS_MOST_RINGS;

class RingMemories {
 public:
  RingMemories(uint32_t slots_log2, uint64_t seed, const MemoryBehaviour& behaviour) {
    for (uint32_t ring = 0; ring < kRings; ring++) {
      memories_.emplace_back(base(ring), slots_log2, seed * 31 + ring);
      memories_.back().behaviour = behaviour;
    }
  }

  /** Multiples of 4096 and of nothing larger, far from each other. */
  static uint64_t base(uint32_t ring) { return (uint64_t{ring} + 5) << 32 | (uint64_t{2 * ring + 1} << 12); }

  RingMemory& operator[](uint32_t ring) { return memories_[ring]; }
  const RingMemory& operator[](uint32_t ring) const { return memories_[ring]; }

  void begin() {
    for (RingMemory& memory : memories_) {
      memory.begin();
    }
  }

  /** What the ports show before a clock edge. */
  template <class Top>
  void sample(const Top& top) {
    for (uint32_t ring = 0; ring < kRings; ring++) {
      MemoryPort& port = ports_[ring];
      port.awvalid = top.awvalid >> ring & 1;
      port.awid = top.awid >> 4 * ring & 15;
      port.awaddr = top.awaddr[2 * ring] | uint64_t{top.awaddr[2 * ring + 1]} << 32;
      port.awlen = static_cast<uint32_t>(top.awlen >> 8 * ring & 255);
      port.awsize = top.awsize >> 3 * ring & 7;
      port.awburst = top.awburst >> 2 * ring & 3;
      port.wvalid = top.wvalid >> ring & 1;
      port.wlast = top.wlast >> ring & 1;
      if (port.wvalid) {
        memcpy(wdata_[ring].data(), top.wdata.data() + 16 * ring, sizeof(Slot));
      }
      wstrb_[ring] = {top.wstrb[2 * ring], top.wstrb[2 * ring + 1]};
      port.wdata = wdata_[ring].data();
      port.wstrb = wstrb_[ring].data();
    }
  }

  /** What the memories show behind it. */
  template <class Top>
  void settle(Top& top, uint64_t cycle) {
    uint32_t awready = 0, wready = 0, bvalid = 0, bid = 0, bresp = 0;
    for (uint32_t ring = 0; ring < kRings; ring++) {
      RingMemory& memory = memories_[ring];
      if (top.reset_n) {
        memory.edge(ports_[ring], cycle);
      }
      awready |= uint32_t{memory.awready} << ring;
      wready |= uint32_t{memory.wready} << ring;
      bvalid |= uint32_t{memory.bvalid} << ring;
      bid |= memory.bid << 4 * ring;
      bresp |= memory.bresp << 2 * ring;
    }
    top.awready = static_cast<uint8_t>(awready);
    top.wready = static_cast<uint8_t>(wready);
    top.bvalid = static_cast<uint8_t>(bvalid);
    top.bid = bid;
    top.bresp = static_cast<uint16_t>(bresp);
  }

 private:
  std::deque<RingMemory> memories_;
  std::array<MemoryPort, kRings> ports_{};
  std::array<std::array<uint32_t, 16>, kRings> wdata_{};
  std::array<std::array<uint32_t, 2>, kRings> wstrb_{};
};

}  // namespace flowstone::sim
