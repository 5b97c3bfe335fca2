// SPDX-License-Identifier: Apache-2.0
// Accesses to the registers of a kernel over AXI-Lite while the clock of the bench runs.
#pragma once

#include <cstdint>

namespace flowstone::sim {

/** Before the first access: random inputs would be accesses, too. */
template <class Top>
void clear_register_port(Top& top) {
  top.control_awvalid = top.control_wvalid = top.control_arvalid = 0;
}

/** Tick: runs one clock cycle. */
template <class Top, class Tick>
void write_register(Top& top, uint32_t offset, uint32_t value, Tick tick) {
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
    tick();
    if (address_taken) top.control_awvalid = 0;
    if (data_taken) top.control_wvalid = 0;
  }
}

template <class Top, class Tick>
uint32_t read_register(Top& top, uint32_t offset, Tick tick) {
  top.control_rready = 1;
  top.control_araddr = offset;
  top.control_arvalid = 1;
  for (;;) {
    const bool taken = top.control_arvalid && top.control_arready;
    const bool answered = top.control_rvalid;
    const uint32_t value = top.control_rdata;
    tick();
    if (taken) top.control_arvalid = 0;
    if (answered) return value;
  }
}

/** Adds register accesses to a bench that has one kernel, top_, and a tick() that runs one clock cycle. */
template <class Bench>
class RegisterAccess {
 public:
  void write(uint32_t offset, uint32_t value) {
    write_register(bench().top_, offset, value, [this] { bench().tick(); });
  }

  uint32_t read(uint32_t offset) {
    return read_register(bench().top_, offset, [this] { bench().tick(); });
  }

  uint64_t counter(uint32_t offset) {
    const uint64_t low = read(offset);
    return low | static_cast<uint64_t>(read(offset + 4)) << 32;
  }

 private:
  Bench& bench() { return static_cast<Bench&>(*this); }
};

}  // namespace flowstone::sim
