// SPDX-License-Identifier: Apache-2.0
// ht_tap, clocked, with the port's frames before it: 64 bytes in a cycle, as a MAC hands them on.
#pragma once

#include <cstring>

#include "../feed/wire.hpp"
#include "Vtap_bench.h"
#include "register_port.hpp"
#include "verilated.h"

namespace flowstone::card {

class TapCore {
 public:
  static constexpr uint32_t kBeatBytes = 64;
  static constexpr uint32_t kWindowBytes = 128;  // what the kernel looks at

  TapCore() : top_(&context_), registers_(top_) {
    top_.reset_n = 0;
    top_.frames_tvalid = 0;
    top_.records_tready = 0;
  }
  ~TapCore() { top_.final(); }

  Vtap_bench& top() { return top_; }
  RegisterPort<Vtap_bench>& registers() { return registers_; }
  void end_reset() { top_.reset_n = 1; }

  bool is_sending() const { return sent_bytes_ < frame_bytes_; }

  /** A frame of which the capture lacks the end is as long as it was where what is missing lies behind the kernel's window: zeros
   *  stand for it, which nobody looks at. Else what was captured is the frame. */
  void send(const uint8_t* bytes, const fs_raw_packet& packet) {
    bytes_ = bytes;
    captured_bytes_ = packet.captured_bytes;
    frame_bytes_ = packet.captured_bytes > kWindowBytes ? packet.wire_bytes : packet.captured_bytes;
    sent_bytes_ = 0;
  }

  void drive(bool records_ready) {
    top_.records_tready = records_ready;
    top_.frames_tvalid = is_sending();
    if (!is_sending()) return;
    const uint32_t left = frame_bytes_ - sent_bytes_;
    const uint32_t count = left < kBeatBytes ? left : kBeatBytes;
    uint8_t beat[kBeatBytes] = {};
    if (sent_bytes_ < captured_bytes_) {
      const uint32_t there = captured_bytes_ - sent_bytes_;
      std::memcpy(beat, bytes_ + sent_bytes_, there < count ? there : count);
    }
    std::memcpy(&top_.frames_tdata, beat, sizeof beat);
    top_.frames_tkeep = count == kBeatBytes ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
    top_.frames_tlast = left == count;
    top_.frames_tuser = 0;
    sent_bytes_ += count;  // tready never falls
  }

  /** The same with what a source sends in place of a wire's frames. */
  template <typename Source>
  void drive(bool records_ready, const Source& source) {
    top_.records_tready = records_ready;
    top_.frames_tvalid = source.frames_tvalid;
    std::memcpy(&top_.frames_tdata, &source.frames_tdata, kBeatBytes);
    top_.frames_tkeep = source.frames_tkeep;
    top_.frames_tlast = source.frames_tlast;
    top_.frames_tuser = source.frames_tuser;
  }

  void fall() {
    top_.clock = 0;
    top_.eval();
    registers_.before_edge();
  }

  void rise() {
    top_.clock = 1;
    top_.eval();
    registers_.after_edge();
  }

 private:
  VerilatedContext context_;
  Vtap_bench top_;
  RegisterPort<Vtap_bench> registers_;
  const uint8_t* bytes_ = nullptr;
  uint32_t captured_bytes_ = 0;
  uint32_t frame_bytes_ = 0;
  uint32_t sent_bytes_ = 0;
};

}  // namespace flowstone::card
