// SPDX-License-Identifier: Apache-2.0
// ht_pcapsrc, clocked: a memory that takes its time, registers, and whoever takes the frames, at once or when it pleases.
#pragma once

#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "Vpcapsrc_bench.h"
#include "capture_blocks.hpp"
#include "check.hpp"
#include "random_state.hpp"
#include "register_access.hpp"
#include "ring_packet.hpp"
#include "test_main.hpp"
#include "verilated.h"

namespace flowstone::sim {

#define SOURCE(field) static_cast<uint32_t>(offsetof(fs_card_source_registers, field))

struct SentFrame {
  Frame bytes;
  bool damaged;
  uint64_t first_cycle;
};

class PcapsrcBench : public RegisterAccess<PcapsrcBench> {
 public:
  static constexpr uint64_t kBase = uint64_t{7} << 32 | 0x3000;

  std::vector<SentFrame> sent;
  uint64_t cycle = 0;

  // The memory, and who takes the frames.
  std::vector<uint8_t> memory;
  uint64_t latency_cycles = 40;
  unsigned memory_pause_percent = 0;
  unsigned frames_pause_percent = 0;
  bool takes_frames = true;
  uint64_t refused_read = UINT64_MAX;  // by number of the unit, over all rounds
  uint64_t reads = 0;                  // units asked for
  uint64_t most_waiting = 0;

  explicit PcapsrcBench(const std::vector<Frame>& frames) : memory(capture_blocks(frames)), state_(seed), top_(state_.get()), random_(seed) {
    clear_register_port(top_);
    top_.reset_n = 0;
    idle(20);
    top_.reset_n = 1;
    idle(5);
  }

  void idle(uint64_t cycles) {
    for (; cycles > 0; cycles--) tick();
  }

  void begin(uint32_t rounds = 1) {
    write(SOURCE(base_address), static_cast<uint32_t>(kBase));
    write(SOURCE(base_address) + 4, static_cast<uint32_t>(kBase >> 32));
    write(SOURCE(units), static_cast<uint32_t>(memory.size() / kUnitBytes));
    write(SOURCE(rounds), rounds);
    write(SOURCE(control), 1u << FS_CARD_SOURCE_REGISTERS_START_SHIFT);
  }

  bool is_done() { return (read(SOURCE(control)) >> FS_CARD_SOURCE_REGISTERS_DONE_SHIFT & 1) != 0; }

  void await_done(uint64_t cycles) {
    const uint64_t end = cycle + cycles;
    while (!is_done()) {
      if (cycle > end) {
        CHECK(!"the kernel does not end");
        throw Hopeless{"the kernel does not end"};
      }
      idle(20);
    }
    CHECK(answers_.empty());
    CHECK(!in_frame_);
    CHECK_EQUAL(sent.size(), counter(SOURCE(sent_packets)));
  }

 private:
  friend class RegisterAccess<PcapsrcBench>;

  struct Answer {
    uint64_t due_cycle;
    uint64_t offset;
    uint64_t number;
    bool last;
  };

  void tick() {
    top_.memory_arready = !random_.chance(memory_pause_percent);
    top_.frames_tready = takes_frames && !random_.chance(frames_pause_percent);
    show_answer();
    top_.clock = 0;
    top_.eval();
    if (top_.reset_n) {
      take_address();
      take_answer();
      take_beat();
    }
    top_.clock = 1;
    top_.eval();
    cycle++;
  }

  void show_answer() {
    const bool has = !answers_.empty() && answers_.front().due_cycle <= cycle && (shown_ || !random_.chance(memory_pause_percent));
    shown_ = has;
    top_.memory_rvalid = has;
    if (has) {
      const Answer& answer = answers_.front();
      std::memcpy(&top_.memory_rdata, memory.data() + answer.offset, kUnitBytes);
      const bool is_refused = answer.number == refused_read;
      if (is_refused) std::memset(&top_.memory_rdata, 0x5A, kUnitBytes);
      top_.memory_rresp = is_refused ? 2 : 0;
      top_.memory_rlast = answer.last;
    }
  }

  void take_address() {
    if (waits_) {
      CHECK(top_.memory_arvalid);
      CHECK_EQUAL(waiting_address_, top_.memory_araddr);
    }
    waits_ = top_.memory_arvalid && !top_.memory_arready;
    waiting_address_ = top_.memory_araddr;
    if (!top_.memory_arvalid || !top_.memory_arready) return;
    CHECK_EQUAL(6, top_.memory_arsize);
    CHECK_EQUAL(1, top_.memory_arburst);
    const uint64_t units = top_.memory_arlen + uint64_t{1};
    CHECK(units <= 16);
    CHECK(top_.memory_araddr >= kBase && top_.memory_araddr + units * kUnitBytes <= kBase + memory.size());
    CHECK_EQUAL(top_.memory_araddr / 4096, (top_.memory_araddr + units * kUnitBytes - 1) / 4096);
    for (uint64_t i = 0; i < units; i++) {
      answers_.push_back({cycle + latency_cycles, top_.memory_araddr - kBase + i * kUnitBytes, reads++, i + 1 == units});
    }
    most_waiting = answers_.size() > most_waiting ? answers_.size() : most_waiting;
  }

  void take_answer() {
    if (top_.memory_rvalid && top_.memory_rready) {
      answers_.pop_front();
      shown_ = false;
    }
  }

  void take_beat() {
    if (!top_.frames_tvalid || !top_.frames_tready) return;
    if (!in_frame_) sent.push_back({{}, false, cycle});
    SentFrame& frame = sent.back();
    const uint8_t* bytes = reinterpret_cast<const uint8_t*>(&top_.frames_tdata);
    const uint64_t keep = top_.frames_tkeep;
    const size_t count = static_cast<size_t>(__builtin_popcountll(keep));
    CHECK(keep == (count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1));
    CHECK(count == 64 || top_.frames_tlast);
    CHECK(!top_.frames_tuser || top_.frames_tlast);
    frame.bytes.insert(frame.bytes.end(), bytes, bytes + count);
    frame.damaged = top_.frames_tuser;
    in_frame_ = !top_.frames_tlast;
  }

  RandomState state_;
  Vpcapsrc_bench top_;
  Random random_;
  std::deque<Answer> answers_;
  bool shown_ = false;
  bool waits_ = false;
  uint64_t waiting_address_ = 0;
  bool in_frame_ = false;
};

}  // namespace flowstone::sim
