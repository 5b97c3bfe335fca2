// SPDX-License-Identifier: Apache-2.0
// Two ht_tap and one ht_ring, clocked: frames on both ports, eight memories, a host that reads slots and gives them back. Every slot
// that a head shows is read in that cycle, and has to be the record that the parser's model makes of a frame of that port, in its order.
#pragma once

#include <array>
#include <deque>
#include <functional>

#include "../emulator/test/ring_check.hpp"
#include "Vjoined_bench.h"
#include "frame_beats.hpp"
#include "register_access.hpp"
#include "ring_memories.hpp"
#include "ring_registers.hpp"
#include "test_main.hpp"
#include "verilated.h"

namespace flowstone::sim {

#define TAP_REGISTER(field) static_cast<uint32_t>(offsetof(fs_card_tap_registers, field))

struct JoinedSetup {
  uint32_t ring_count = kRings;
  uint32_t slots_log2 = 14;
  uint32_t tick_cycles = 30'000;
  MemoryBehaviour memory;
};

class JoinedBench : public RegisterAccess<JoinedBench> {
 public:
  static constexpr uint32_t kPorts = 2;
  static constexpr uint32_t kMaxParallelism = 128;

  explicit JoinedBench(const JoinedSetup& setup) : setup_(setup), memories_(setup.slots_log2, seed, setup.memory), top_(&context_) {
    for (uint32_t ring = 0; ring < kRings; ring++) {
      checks_.emplace_back(setup.slots_log2);
      checks_.back().keeps_records = true;
    }
    top_.reset_n = 0;
    run(100);
    top_.reset_n = 1;
    run(20);
    start_rings();
    for (uint32_t port = 0; port < kPorts; port++) start_tap(port);
    run(40);
  }
  ~JoinedBench() { top_.final(); }

  // ---- What a test sets ----
  /** Asked each cycle in which a port is between two frames; false: not now. */
  std::array<std::function<bool(Frame&)>, kPorts> source;
  /** Of a hundred cycles inside a frame, those without a beat. */
  void pause(uint32_t percent) {
    for (FrameBeats& beats : beats_) beats.pause_percent = percent;
  }

  // ---- What a test sees ----
  uint64_t cycle() const { return cycle_; }
  uint64_t sent(uint32_t port) const { return sent_[port]; }
  uint64_t refused_beats() const { return refused_beats_; }
  /** Cycles in which a tap had a record that the rings did not take. */
  uint64_t waits(uint32_t port) const { return waits_[port]; }
  uint64_t read_packets() const {
    uint64_t packets = 0;
    for (const auto& check : checks_) packets += check.packets();
    return packets;
  }
  const card::test::RingCheck& check(uint32_t ring) const { return checks_[ring]; }
  uint64_t ring(uint32_t number, size_t field) { return counter_of(kPorts, offset_of_ring(number, field)); }
  uint64_t tap(uint32_t port, uint32_t offset) { return counter_of(port, offset); }

  void run(uint64_t cycles) {
    for (; cycles > 0; cycles--) tick();
  }

  /** The host looks at each ring once, and gives back what it has read. */
  void give_back() {
    for (uint32_t number = 0; number < setup_.ring_count; number++) {
      const uint64_t head = ring(number, offsetof(fs_card_ring_state, head));
      write(RING_REGISTER(number, credit), static_cast<uint32_t>(head));
    }
  }

  /** The taps, then the rings: after that everything is told. */
  void stop() {
    for (uint32_t port = 0; port < kPorts; port++) stop_kernel(port);
    stop_kernel(kPorts);
    run(10);
  }

  /** What there is to say of any traffic once the kernels have stopped: each frame has a slot, or is counted where it was dropped. */
  void check_accounts() {
    uint64_t taps_sent = 0, offered = 0;
    for (uint32_t port = 0; port < kPorts; port++) {
      const uint64_t port_sent = tap(port, TAP_REGISTER(sent_packets));
      CHECK_EQUAL(sent_[port], tap(port, TAP_REGISTER(received_packets)));
      CHECK_EQUAL(sent_[port], port_sent + tap(port, TAP_REGISTER(overflowed_packets)));
      taps_sent += port_sent;
    }
    for (uint32_t number = 0; number < setup_.ring_count; number++) {
      const uint64_t written = ring(number, offsetof(fs_card_ring_state, written_packets));
      const uint64_t dropped = ring(number, offsetof(fs_card_ring_state, dropped_packets));
      CHECK_EQUAL(ring(number, offsetof(fs_card_ring_state, offered_packets)), written + dropped);
      CHECK_EQUAL(checks_[number].packets(), written);
      CHECK_EQUAL(checks_[number].lost(), dropped);
      CHECK_EQUAL(0, checks_[number].damaged());
      CHECK_EQUAL(0, checks_[number].most_unexplained());
      offered += written + dropped;
    }
    CHECK_EQUAL(taps_sent, offered);
    CHECK_EQUAL(0, refused_beats_);
  }

 private:
  friend class RegisterAccess<JoinedBench>;

  static constexpr unsigned kMostFailures = 20;

  // ---- Registers ----
  void select(uint32_t kernel) {
    top_.kernel = static_cast<uint8_t>(kernel);
    top_.eval();
  }
  uint64_t counter_of(uint32_t kernel, uint32_t offset) {
    select(kernel);
    return counter(offset);
  }

  void start_rings() {
    select(kPorts);
    for (uint32_t number = 0; number < kRings; number++) {
      write(KERNEL_REGISTER(base_addresses) + 8 * number, static_cast<uint32_t>(RingMemories::base(number)));
      write(KERNEL_REGISTER(base_addresses) + 8 * number + 4, static_cast<uint32_t>(RingMemories::base(number) >> 32));
    }
    write(KERNEL_REGISTER(slots_log2), setup_.slots_log2);
    write(KERNEL_REGISTER(ring_count), setup_.ring_count);
    memories_.begin();
    write(KERNEL_REGISTER(control), kStart);
  }

  void start_tap(uint32_t port) {
    select(port);
    write(TAP_REGISTER(ingress_port), port);
    write(TAP_REGISTER(max_parallelism), kMaxParallelism);
    write(TAP_REGISTER(tick_cycles), setup_.tick_cycles);
    write(TAP_REGISTER(table_address), 0);
    for (uint32_t group = 0; group < kMaxParallelism; group++) write(TAP_REGISTER(table_ring), ring_of_group(group));
    write(TAP_REGISTER(control), kStart);
  }

  void stop_kernel(uint32_t kernel) {
    select(kernel);
    write(KERNEL_REGISTER(stop), 1);  // at the same place in all kernels
    for (uint64_t looks = 0; (read(KERNEL_REGISTER(control)) & kDone) == 0; looks++) {
      if (looks < 100'000) continue;
      CHECK(!"the kernel does not end");
      throw Hopeless{"the kernel does not end"};
    }
  }

  // ---- Frames ----
  uint32_t ring_of_group(uint32_t group) const { return group * setup_.ring_count / kMaxParallelism; }

  void begin_frame(uint32_t number) {
    Frame frame;
    if (!source[number] || !source[number](frame)) return;
    beats_[number].begin(frame.data(), static_cast<uint32_t>(frame.size()));
    sent_[number]++;
    const fs_packet_record record = record_of_frame(frame.data(), static_cast<uint32_t>(frame.size()), number);
    expected_[ring_of_group(flowstone_key_group(record.flow_hash, kMaxParallelism))][number].push_back(record);
  }

  void drive(uint32_t number) {
    if (!beats_[number].is_sending()) begin_frame(number);
    const FrameBeat beat = beats_[number].next();
    std::memcpy(reinterpret_cast<uint8_t*>(&top_.frames_tdata) + kBeatBytes * number, beat.data, kBeatBytes);
    std::memcpy(reinterpret_cast<uint8_t*>(&top_.frames_tkeep) + 8 * number, &beat.keep, sizeof beat.keep);
    top_.frames_tlast = with_bit(top_.frames_tlast, number, beat.last);
    top_.frames_tvalid = with_bit(top_.frames_tvalid, number, beat.valid);
  }

  static uint8_t with_bit(uint32_t bits, uint32_t number, bool bit) {
    return static_cast<uint8_t>((bits & ~(1u << number)) | (bit ? 1u << number : 0));
  }

  // ---- Time ----
  void tick() {
    if (test::failures() >= kMostFailures) throw Hopeless{"too many failures"};
    for (uint32_t port = 0; port < kPorts; port++) drive(port);
    top_.clock = 0;
    top_.eval();
    for (uint32_t port = 0; port < kPorts; port++) {
      refused_beats_ += top_.frames_tvalid >> port & ~(top_.frames_tready >> port) & 1;
      waits_[port] += top_.probe_record_waits >> port & 1;
    }
    memories_.sample(top_);
    top_.clock = 1;
    top_.eval();
    cycle_++;
    memories_.settle(top_, cycle_);
    top_.eval();
    if (top_.reset_n) follow_heads();
  }

  // ---- Slots ----
  void follow_heads() {
    for (uint32_t number = 0; number < kRings; number++) {
      const uint64_t head = top_.probe_head[2 * number] | uint64_t{top_.probe_head[2 * number + 1]} << 32;
      card::test::RingCheck& check = checks_[number];
      while (check.position() < head) {
        check.read(record_of(memories_[number].slot(check.position())));
        if (check.records.empty()) continue;
        compare(number, check.records.back());
        check.records.clear();
      }
    }
  }

  /** Those that were dropped on the way are passed over; the counters have to agree with how many there are. */
  void compare(uint32_t number, const fs_packet_record& record) {
    std::deque<fs_packet_record>& expected = expected_[number][ingress_port(record)];
    while (!expected.empty()) {
      fs_packet_record one = expected.front();
      expected.pop_front();
      one.time_low = record.time_low;
      if (std::memcmp(&one, &record, sizeof one) == 0) return;
    }
    CHECK(!"a slot has a record that none of the frames left has");
  }

  const JoinedSetup setup_;
  RingMemories memories_;
  VerilatedContext context_;
  Vjoined_bench top_;
  uint64_t cycle_ = 0;
  std::array<FrameBeats, kPorts> beats_{FrameBeats(2 * seed), FrameBeats(2 * seed + 1)};
  std::array<uint64_t, kPorts> sent_{};
  std::array<uint64_t, kPorts> waits_{};
  uint64_t refused_beats_ = 0;
  std::array<std::array<std::deque<fs_packet_record>, kPorts>, kRings> expected_;
  std::vector<card::test::RingCheck> checks_;
};

}  // namespace flowstone::sim
