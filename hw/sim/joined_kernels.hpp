// SPDX-License-Identifier: Apache-2.0
// Two ht_tap and one ht_ring, connected as vitis/u280.cfg connects them, with the FIFOs that v++ puts between them.
#pragma once

#include <array>
#include <cstring>

#include "Vring_bench.h"
#include "Vtap_bench.h"
#include "random_state.hpp"
#include "record_fifo.hpp"
#include "register_access.hpp"
#include "test_main.hpp"
#include "verilated.h"

namespace flowstone::sim {

/** Each kernel is a model of its own. A FIFO is between each tap and the rings, so no signal of a kernel depends on another kernel in the
 *  same cycle. */
class JoinedKernels {
 public:
  static constexpr uint32_t kPorts = 2;

  explicit JoinedKernels(uint64_t seed) : state_(seed) {
    each([](auto& kernel) { clear_register_port(kernel); });
  }
  ~JoinedKernels() {
    each([](auto& kernel) { kernel.final(); });
  }

  Vtap_bench& tap(uint32_t port) { return port == 0 ? tap_0_ : tap_1_; }
  Vring_bench& rings() { return rings_; }

  /** The action receives the tap of a port, or the rings if the number is kPorts. */
  template <class Action>
  auto visit(uint32_t kernel, Action action) {
    return kernel == kPorts ? action(rings_) : action(tap(kernel));
  }

  void set_reset(bool is_reset) {
    each([=](auto& kernel) { kernel.reset_n = !is_reset; });
  }

  /** Records between a tap and the rings. */
  size_t records_between(uint32_t port) const { return fifos_[port].size(); }
  /** True: the tap has a record that the FIFO does not take in this cycle. */
  bool record_waits(uint32_t port) { return tap(port).records_tvalid && !tap(port).records_tready; }

  void fall() {
    connect();
    set_clock(false);
  }

  void rise() {
    for (uint32_t port = 0; port < kPorts; port++) pass_records(port);
    cycle_++;
    set_clock(true);
  }

 private:
  template <class Action>
  void each(Action action) {
    action(tap_0_);
    action(tap_1_);
    action(rings_);
  }

  void set_clock(bool clock) {
    each([=](auto& kernel) {
      kernel.clock = clock;
      kernel.eval();
    });
  }

  static constexpr size_t kRecordBytes = 64;

  /** The ends of the FIFOs show what they have since the last clock edge. */
  void connect() {
    uint32_t valid = 0, destinations = 0;
    for (uint32_t port = 0; port < kPorts; port++) {
      const RecordFifo& fifo = fifos_[port];
      tap(port).records_tready = fifo.has_space();
      if (!fifo.has_record(cycle_)) continue;
      valid |= 1u << port;
      const StreamRecord& record = fifo.front();
      std::memcpy(reinterpret_cast<uint8_t*>(&rings_.tdata) + kRecordBytes * port, record.data.data(), kRecordBytes);
      (port == 0 ? rings_.tuser_0 : rings_.tuser_1) = record.user;
      destinations |= record.destination << 3 * port;
    }
    rings_.tvalid = static_cast<uint8_t>(valid);
    rings_.tdest = static_cast<uint8_t>(destinations);
  }

  /** What passes at the clock edge that comes. */
  void pass_records(uint32_t port) {
    if (!rings_.reset_n) return;
    RecordFifo& fifo = fifos_[port];
    Vtap_bench& from = tap(port);
    const bool has_space = fifo.has_space();
    if ((rings_.tvalid & rings_.tready) >> port & 1) fifo.pop();
    if (!from.records_tvalid || !has_space) return;
    StreamRecord record{};
    std::memcpy(record.data.data(), &from.records_tdata, kRecordBytes);
    record.user = from.records_tuser;
    record.destination = from.records_tdest;
    fifo.push(record, cycle_);
  }

  RandomState state_;
  Vtap_bench tap_0_{state_.get()};
  Vtap_bench tap_1_{state_.get()};
  Vring_bench rings_{state_.get()};
  std::array<RecordFifo, kPorts> fifos_;
  uint64_t cycle_ = 0;
};

}  // namespace flowstone::sim
