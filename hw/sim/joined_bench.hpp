// SPDX-License-Identifier: Apache-2.0
// Two ht_tap and one ht_ring, clocked: frames on both ports, eight memories, a host that reads slots and gives them back. Every slot
// that a head shows is read in that cycle, and has to be the record that the parser's model makes of a frame of that port, in its order.
#pragma once

#include <array>
#include <deque>
#include <functional>

#include "../emulator/test/ring_check.hpp"
#include "frame_beats.hpp"
#include "joined_kernels.hpp"
#include "register_access.hpp"
#include "ring_memories.hpp"
#include "ring_registers.hpp"
#include "test_main.hpp"

namespace flowstone::sim {

#define TAP_REGISTER(field) static_cast<uint32_t>(offsetof(fs_card_tap_registers, field))

struct JoinedSetup {
  uint32_t ring_count = kRings;
  uint32_t slots_log2 = 14;
  uint32_t tick_cycles = 30'000;
  MemoryBehaviour memory;
};

class JoinedBench {
 public:
  static constexpr uint32_t kPorts = JoinedKernels::kPorts;
  static constexpr uint32_t kMaxParallelism = 128;

  explicit JoinedBench(const JoinedSetup& setup) : setup_(setup), memories_(setup.slots_log2, seed, setup.memory), kernels_(seed) {
    for (uint32_t ring = 0; ring < kRings; ring++) {
      checks_.emplace_back(setup.slots_log2);
      checks_.back().keeps_records = true;
    }
    kernels_.set_reset(true);
    run(100);
    kernels_.set_reset(false);
    run(20);
    start_rings();
    for (uint32_t port = 0; port < kPorts; port++) start_tap(port);
    run(40);
  }

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
  size_t records_between(uint32_t port) const { return kernels_.records_between(port); }
  /** Cycles in which a tap had a record that the FIFO after it did not take. */
  uint64_t waits(uint32_t port) const { return waits_[port]; }
  uint64_t read_packets() const {
    uint64_t packets = 0;
    for (const auto& check : checks_) packets += check.packets();
    return packets;
  }
  const card::test::RingCheck& check(uint32_t ring) const { return checks_[ring]; }
  uint64_t ring(uint32_t number, size_t field) { return counter(kPorts, offset_of_ring(number, field)); }
  uint64_t tap(uint32_t port, uint32_t offset) { return counter(port, offset); }

  void run(uint64_t cycles) {
    for (; cycles > 0; cycles--) tick();
  }

  /** The host looks at each ring once, and gives back what it has read. */
  void give_back() {
    for (uint32_t number = 0; number < setup_.ring_count; number++) {
      const uint64_t head = ring(number, offsetof(fs_card_ring_state, head));
      write(kPorts, RING_REGISTER(number, credit), static_cast<uint32_t>(head));
    }
  }

  /** The taps, then the rings: after that everything is told. */
  void stop() {
    stop_taps();
    stop_rings();
  }
  void stop_taps() {
    for (uint32_t port = 0; port < kPorts; port++) stop_kernel(port);
  }
  void stop_rings() {
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
    CHECK_EQUAL(0, counter(kPorts, KERNEL_REGISTER(misdirected_packets)));
    CHECK_EQUAL(0, counter(kPorts, KERNEL_REGISTER(discarded_packets)));
    CHECK_EQUAL(0, refused_beats_);
  }

 private:
  static constexpr unsigned kMostFailures = 20;

  // ---- Registers ----
  void write(uint32_t kernel, uint32_t offset, uint32_t value) {
    kernels_.visit(kernel, [&](auto& top) { write_register(top, offset, value, [this] { tick(); }); });
  }
  uint32_t read(uint32_t kernel, uint32_t offset) {
    return kernels_.visit(kernel, [&](auto& top) { return read_register(top, offset, [this] { tick(); }); });
  }
  uint64_t counter(uint32_t kernel, uint32_t offset) {
    const uint64_t low = read(kernel, offset);
    return low | uint64_t{read(kernel, offset + 4)} << 32;
  }

  void start_rings() {
    for (uint32_t number = 0; number < kRings; number++) {
      write(kPorts, KERNEL_REGISTER(base_addresses) + 8 * number, static_cast<uint32_t>(RingMemories::base(number)));
      write(kPorts, KERNEL_REGISTER(base_addresses) + 8 * number + 4, static_cast<uint32_t>(RingMemories::base(number) >> 32));
    }
    write(kPorts, KERNEL_REGISTER(slots_log2), setup_.slots_log2);
    write(kPorts, KERNEL_REGISTER(ring_count), setup_.ring_count);
    memories_.begin();
    write(kPorts, KERNEL_REGISTER(control), kStart);
  }

  void start_tap(uint32_t port) {
    write(port, TAP_REGISTER(ingress_port), port);
    write(port, TAP_REGISTER(max_parallelism), kMaxParallelism);
    write(port, TAP_REGISTER(tick_cycles), setup_.tick_cycles);
    write(port, TAP_REGISTER(table_address), 0);
    for (uint32_t group = 0; group < kMaxParallelism; group++) write(port, TAP_REGISTER(table_ring), ring_of_group(group));
    write(port, TAP_REGISTER(control), kStart);
  }

  void stop_kernel(uint32_t kernel) {
    write(kernel, KERNEL_REGISTER(stop), 1);  // at the same place in all kernels
    for (uint64_t looks = 0; (read(kernel, KERNEL_REGISTER(control)) & kDone) == 0; looks++) {
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
    Vtap_bench& tap = kernels_.tap(number);
    std::memcpy(&tap.frames_tdata, beat.data, kBeatBytes);
    tap.frames_tkeep = beat.keep;
    tap.frames_tlast = beat.last;
    tap.frames_tuser = 0;
    tap.frames_tvalid = beat.valid;
  }

  // ---- Time ----
  void tick() {
    if (test::failures() >= kMostFailures) throw Hopeless{"too many failures"};
    for (uint32_t port = 0; port < kPorts; port++) drive(port);
    kernels_.fall();
    for (uint32_t port = 0; port < kPorts && kernels_.rings().reset_n; port++) {
      refused_beats_ += kernels_.tap(port).frames_tvalid && !kernels_.tap(port).frames_tready ? 1 : 0;
      waits_[port] += kernels_.record_waits(port) ? 1 : 0;
    }
    memories_.sample(kernels_.rings());
    kernels_.rise();
    cycle_++;
    memories_.settle(kernels_.rings(), cycle_);
    if (kernels_.rings().reset_n) follow_heads();
  }

  // ---- Slots ----
  void follow_heads() {
    const auto& heads = kernels_.rings().probe_head;
    for (uint32_t number = 0; number < kRings; number++) {
      const uint64_t head = heads[2 * number] | uint64_t{heads[2 * number + 1]} << 32;
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
  JoinedKernels kernels_;
  uint64_t cycle_ = 0;
  std::array<FrameBeats, kPorts> beats_{FrameBeats(2 * seed), FrameBeats(2 * seed + 1)};
  std::array<uint64_t, kPorts> sent_{};
  std::array<uint64_t, kPorts> waits_{};
  uint64_t refused_beats_ = 0;
  std::array<std::array<std::deque<fs_packet_record>, kPorts>, kRings> expected_;
  std::vector<card::test::RingCheck> checks_;
};

}  // namespace flowstone::sim
