// SPDX-License-Identifier: Apache-2.0
// ht_tap, clocked: registers are written and read, frames go in by beats, and what it sends is kept. Frames wait for nothing, as on a wire.
#pragma once

#include <cstring>
#include <functional>
#include <vector>

#include "Vtap_bench.h"
#include "flowstone.h"
#include "frame_beats.hpp"
#include "random_state.hpp"
#include "register_access.hpp"
#include "test_main.hpp"
#include "verilated.h"

namespace flowstone::sim {

/** What went out of the port. */
struct Sent {
  fs_packet_record record;
  uint32_t time_high;
  uint32_t ring;
  bool tick;
  uint64_t cycle;

  uint64_t time_ns() const { return static_cast<uint64_t>(time_high) << 32 | record.time_low; }
};

class TapBench : public RegisterAccess<TapBench> {
 public:
  std::vector<Sent> sent;
  uint64_t cycle = 0;
  uint64_t refused_beats = 0;  // tready was not there
  bool takes_records = true;
  /** Asked each cycle in which no frame is under way, while registers are accessed, too; false: not now. */
  std::function<bool(Frame&)> source;

  TapBench() : state_(seed), top_(state_.get()), beats_(seed) {
    clear_register_port(top_);
    top_.reset_n = 0;
    idle(100);
    top_.reset_n = 1;
    idle(10);
  }

  void start() { write(offsetof(fs_card_tap_registers, control), 1u << FS_CARD_TAP_REGISTERS_START_SHIFT); }

  void stop() { write(offsetof(fs_card_tap_registers, stop), 1); }

  /** False: it is not done after so many cycles. */
  bool await_done(uint64_t cycles) {
    const uint64_t end = cycle + cycles;
    while (cycle < end) {
      if ((read(offsetof(fs_card_tap_registers, control)) >> FS_CARD_TAP_REGISTERS_DONE_SHIFT & 1) != 0) return true;
    }
    return false;
  }

  /** Of a hundred cycles inside a frame, those without a beat. */
  void pause(uint32_t percent) { beats_.pause_percent = percent; }

  /** Returns the cycle of the first beat. */
  uint64_t send(const uint8_t* bytes, uint32_t count, bool bad = false) {
    const uint64_t first = cycle;
    beats_.begin(bytes, count, bad);
    while (beats_.is_sending()) tick();
    return first;
  }

  void idle(uint64_t cycles) {
    for (; cycles > 0; cycles--) tick();
  }

 private:
  friend class RegisterAccess<TapBench>;
  RandomState state_;
  Vtap_bench top_;
  FrameBeats beats_;

  void drive() {
    Frame frame;
    if (!beats_.is_sending() && source && source(frame)) beats_.begin(frame.data(), static_cast<uint32_t>(frame.size()));
    const FrameBeat beat = beats_.next();
    std::memcpy(&top_.frames_tdata, beat.data, sizeof beat.data);
    top_.frames_tkeep = beat.keep;
    top_.frames_tlast = beat.last;
    top_.frames_tuser = beat.bad;
    top_.frames_tvalid = beat.valid;
    refused_beats += beat.valid && !top_.frames_tready ? 1 : 0;
  }

  void tick() {
    drive();
    top_.records_tready = takes_records;
    top_.clock = 0;
    top_.eval();
    if (top_.reset_n && top_.records_tvalid && top_.records_tready) keep();
    top_.clock = 1;
    top_.eval();
    cycle++;
  }

  void keep() {
    Sent one;
    std::memcpy(&one.record, &top_.records_tdata, sizeof one.record);
    one.time_high = static_cast<uint32_t>(top_.records_tuser);
    one.tick = (top_.records_tuser >> 32 & 1) != 0;
    one.ring = top_.records_tdest;
    one.cycle = cycle;
    sent.push_back(one);
  }
};

}  // namespace flowstone::sim
