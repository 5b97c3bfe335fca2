// SPDX-License-Identifier: Apache-2.0
// A kernel's registers as a host reads and writes them, while the clock of the bench goes on.
#pragma once

#include <cstdint>

namespace flowstone::sim {

/** What a bench adds to itself: it has a kernel top_, and a tick() that is one clock cycle. */
template <class Bench>
class RegisterAccess {
 public:
  void write(uint32_t offset, uint32_t value) {
    auto& top = bench().top_;
    top.control_bready = 1;
    top.control_awaddr = offset;
    top.control_wdata = value;
    top.control_wstrb = 0xF;
    top.control_awvalid = 1;
    top.control_wvalid = 1;
    bool answered = false;
    while (!answered) {
      const bool address_taken = top.control_awvalid && top.control_awready;
      const bool data_taken = top.control_wvalid && top.control_wready;
      answered = top.control_bvalid;
      bench().tick();
      if (address_taken) top.control_awvalid = 0;
      if (data_taken) top.control_wvalid = 0;
    }
  }

  uint32_t read(uint32_t offset) {
    auto& top = bench().top_;
    top.control_rready = 1;
    top.control_araddr = offset;
    top.control_arvalid = 1;
    for (;;) {
      const bool taken = top.control_arvalid && top.control_arready;
      const bool answered = top.control_rvalid;
      const uint32_t value = top.control_rdata;
      bench().tick();
      if (taken) top.control_arvalid = 0;
      if (answered) return value;
    }
  }

  uint64_t counter(uint32_t offset) {
    const uint64_t low = read(offset);
    return low | static_cast<uint64_t>(read(offset + 4)) << 32;
  }

 private:
  Bench& bench() { return static_cast<Bench&>(*this); }
};

}  // namespace flowstone::sim
