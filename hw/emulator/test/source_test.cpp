// SPDX-License-Identifier: Apache-2.0
// A card without a cable, its engine of models in the test's own process: what lies in the card's memory comes to the taps, round after
// round, or a status says why not. What pcapsrc_test.cpp asks of the RTL is asked of the model.
#include <random>

#include "../../sim/capture_blocks.hpp"
#include "../model/model_engine.hpp"
#include "../model/source_model.hpp"
#include "check.hpp"
#include "ring_check.hpp"

namespace flowstone::card::test {
namespace {

#define SOURCE(field) static_cast<uint32_t>(offsetof(fs_card_source_registers, field))
#define TAP(field) static_cast<uint32_t>(offsetof(fs_card_tap_registers, field))
#define RINGS(field) static_cast<uint32_t>(offsetof(fs_card_ring_registers, field))

using sim::capture_blocks;
using sim::Frame;
using sim::kUnitBytes;

constexpr uint64_t kBase = kRings * kBankBytes + 0x3000;
constexpr uint32_t kReadFailed = 1u << FS_CARD_SOURCE_REGISTERS_READ_FAILED_SHIFT;
constexpr uint32_t kCutShort = 1u << FS_CARD_SOURCE_REGISTERS_CUT_SHORT_SHIFT;
constexpr uint64_t kLater = 3'600'000'000'000;  // by then every frame is due

std::vector<Frame> frames_of(const std::vector<size_t>& sizes) {
  std::vector<Frame> frames;
  for (const size_t size : sizes) {
    Frame frame(size);
    for (size_t i = 0; i < size; i++) frame[i] = static_cast<uint8_t>(i + 7 * frames.size());
    frames.push_back(frame);
  }
  return frames;
}

std::vector<Frame> some_frames(size_t count) {
  std::mt19937 random(1);
  std::vector<size_t> sizes;
  for (size_t i = 0; i < count; i++) sizes.push_back(1 + random() % (i % 10 == 0 ? 65535 : 300));
  return frames_of(sizes);
}

class SourceBench {
 public:
  explicit SourceBench(const std::vector<Frame>& frames, std::vector<FaultSpec> faults = {})
      : window_memory_("test-window", sizeof(CardWindow)),
        source_(registers_of(window(), source_kernel(0)), memory_, faults, window().faults),
        blocks_(capture_blocks(frames)) {
    std::memcpy(memory_.at(kBase), blocks_.data(), blocks_.size());
  }

  CardWindow& window() { return *reinterpret_cast<CardWindow*>(window_memory_.address()); }
  SourceModel& source() { return source_; }
  size_t units() const { return blocks_.size() / kUnitBytes; }

  uint32_t read(uint32_t offset) { return registers_of(window(), source_kernel(0)).read(offset); }
  uint64_t read64(uint32_t offset) { return read(offset) | uint64_t{read(offset + 4)} << 32; }
  void write(uint32_t offset, uint32_t value) { source_.write(offset, value); }

  void begin(uint32_t rounds, size_t units, uint64_t base = kBase) {
    write(SOURCE(base_address), static_cast<uint32_t>(base));
    write(SOURCE(base_address) + 4, static_cast<uint32_t>(base >> 32));
    write(SOURCE(units), static_cast<uint32_t>(units));
    write(SOURCE(rounds), rounds);
    write(kControlOffset, kStart);
  }
  void begin(uint32_t rounds = 1) { begin(rounds, units()); }

  /** All that has come by then, a look at a time; it may end before. */
  void take(uint64_t now_ns, int looks = 1000) {
    for (int i = 0; i < looks && source_.runs(); i++) {
      const Arrived arrived = source_.arrived(now_ns);
      for (uint32_t frame = 0; frame < arrived.count; frame++) {
        const fs_raw_packet& packet = arrived.packets[frame];
        const uint8_t* bytes = arrived.base + packet.data_offset;
        sent.emplace_back(bytes, bytes + packet.captured_bytes);
      }
      if (source_.sent(arrived.count)) damaged++;
    }
  }
  void take_all() {
    take(monotonic_ns() + kLater);
    CHECK(!source_.runs());
    CHECK_EQUAL(kIdle | kDone | kReady, read(kControlOffset));
    CHECK_EQUAL(sent.size() + damaged, read64(SOURCE(sent_packets)));
    CHECK_EQUAL(UINT64_MAX, source_.next_ns());
  }

  std::vector<Frame> sent;  // whole ones
  uint64_t damaged = 0;

 private:
  SharedMemory window_memory_;
  DeviceMemory memory_;
  SourceModel source_;
  std::vector<uint8_t> blocks_;
};

void check_sent(const SourceBench& bench, const std::vector<Frame>& frames, size_t count) {
  CHECK_EQUAL(count, bench.sent.size());
  CHECK_EQUAL(0, bench.damaged);
  for (size_t i = 0; i < bench.sent.size(); i++) {
    if (bench.sent[i] == frames[i % frames.size()]) continue;
    std::printf("frame %zu\n", i);
    CHECK(!"a frame is not what lies in memory");
    return;
  }
}

TEST(a_source_says_who_it_is_and_what_it_was_told) {
  SourceBench bench({});
  CHECK_EQUAL(FS_CARD_SOURCE_REGISTERS_MAGIC, bench.read(kMagicOffset));
  CHECK_EQUAL(FS_CARD_SOURCE_REGISTERS_VERSION, bench.read(kVersionOffset));
  CHECK_EQUAL(kIdle, bench.read(kControlOffset));
  CHECK_EQUAL(1, bench.read(SOURCE(rounds)));
  bench.write(SOURCE(base_address), 0x12345FFF);
  CHECK_EQUAL(0x12345000, bench.read(SOURCE(base_address)));
  bench.write(SOURCE(gap_cycles), 5);
  CHECK_EQUAL(5, bench.read(SOURCE(gap_cycles)));
}

TEST(a_source_sends_what_lies_in_memory_round_after_round) {
  const std::vector<Frame> frames = some_frames(2000);
  SourceBench bench(frames);
  bench.begin(3);
  bench.take_all();
  check_sent(bench, frames, 3 * frames.size());
  uint64_t bytes = 0;
  for (const Frame& frame : bench.sent) bytes += frame.size();
  CHECK_EQUAL(bytes, bench.read64(SOURCE(sent_bytes)));
  CHECK_EQUAL(0, bench.read(SOURCE(status)));
  bench.sent.clear();
  bench.begin();  // counters are those of this start
  bench.take_all();
  check_sent(bench, frames, frames.size());
}

TEST(a_source_with_nothing_to_send_is_done_at_once) {
  SourceBench bench({});
  bench.begin();
  bench.take_all();
  CHECK_EQUAL(0, bench.sent.size());
}

/** Blocks without a frame: it goes on, and keeps nobody from a look at the registers. */
TEST(a_source_reads_empty_blocks_until_it_is_stopped) {
  SourceBench bench({});
  bench.begin(0, 7, 0);  // memory that was never used
  bench.take(monotonic_ns() + kLater, 3);
  CHECK(bench.source().runs());
  bench.write(kStopOffset, 1);
  CHECK(!bench.source().runs());
  CHECK_EQUAL(0, bench.sent.size());
}

TEST(a_source_stops_between_two_frames_and_takes_arguments_then_alone) {
  const std::vector<Frame> frames = some_frames(100);
  SourceBench bench(frames);
  bench.begin(0);
  bench.take(monotonic_ns() + kLater, 1);
  bench.write(SOURCE(units), 1);
  bench.write(SOURCE(rounds), 1);
  CHECK_EQUAL(bench.units(), bench.read(SOURCE(units)));
  CHECK_EQUAL(0, bench.read(SOURCE(rounds)));
  bench.write(kStopOffset, 1);
  const size_t sent = bench.sent.size();
  bench.take_all();
  check_sent(bench, frames, sent);
}

TEST(a_sources_gap_is_kept) {
  const std::vector<Frame> frames = frames_of(std::vector<size_t>(40, 60));
  SourceBench bench(frames);
  bench.write(SOURCE(gap_cycles), 300'000'000 - 1);  // a frame in a second
  const uint64_t before_ns = monotonic_ns();
  bench.begin();
  const uint64_t after_ns = monotonic_ns();
  bench.take(before_ns, 2);
  CHECK_EQUAL(0, bench.sent.size());
  bench.take(after_ns + 1'000'000, 2);
  CHECK_EQUAL(1, bench.sent.size());
  CHECK(bench.source().next_ns() > before_ns + 1'000'000'000);
  bench.take(before_ns + 999'000'000, 2);
  CHECK_EQUAL(1, bench.sent.size());
  bench.take(after_ns + 10'001'000'000, 2);
  CHECK_EQUAL(11, bench.sent.size());
  bench.take_all();
  check_sent(bench, frames, frames.size());
}

TEST(a_refused_read_damages_the_sources_frame_and_ends_it) {
  const std::vector<Frame> frames = frames_of({60, 60, 300, 60, 60});
  FaultSpec fault{FaultKind::kRefusedRead};
  fault.after = 2;
  SourceBench bench(frames, {fault});
  bench.begin(0);
  bench.take_all();
  CHECK_EQUAL(2, bench.sent.size());
  CHECK_EQUAL(1, bench.damaged);
  CHECK_EQUAL(kReadFailed, bench.read(SOURCE(status)));
  CHECK_EQUAL(60 + 60 + 64, bench.read64(SOURCE(sent_bytes)));
  CHECK_EQUAL(1, bench.window().faults.injected[static_cast<uint32_t>(FaultKind::kRefusedRead)]);
  bench.sent.clear();
  bench.damaged = 0;
  bench.begin();
  CHECK_EQUAL(0, bench.read(SOURCE(status)));
  bench.take_all();
  check_sent(bench, frames, frames.size());
}

TEST(a_source_cannot_read_behind_the_cards_memory) {
  SourceBench bench({});
  bench.begin(1, 10, kMemoryBytes);
  bench.take_all();
  CHECK_EQUAL(kReadFailed, bench.read(SOURCE(status)));
  CHECK_EQUAL(0, bench.sent.size() + bench.damaged);
}

void check_cut(const std::vector<Frame>& frames, size_t units, size_t whole, uint64_t damaged) {
  SourceBench bench(frames);
  bench.begin(3, units);
  bench.take_all();
  CHECK_EQUAL(whole, bench.sent.size());
  for (size_t i = 0; i < whole; i++) CHECK(bench.sent[i] == frames[i]);
  CHECK_EQUAL(damaged, bench.damaged);
  CHECK_EQUAL(kCutShort, bench.read(SOURCE(status)));
}

TEST(a_capture_that_is_cut_short_ends_the_source) {
  const std::vector<Frame> frames = frames_of({60, 300, 60});
  check_cut(frames, 4, 1, 1);
  check_cut(frames, 2, 1, 0);
  check_cut(frames, 1, 0, 0);
}

// ---- With a tap and rings behind it ----

class CardBench {
 public:
  explicit CardBench(std::vector<FaultSpec> faults = {})
      : faults_(std::move(faults)),
        window_memory_("test-window", sizeof(CardWindow)),
        engine_(window(), memory_, wires_, faults_, false, kCableless) {
    write(kRingKernel, RINGS(slots_log2), 10);
    write(kRingKernel, RINGS(ring_count), 1);
    std::memset(memory_.at(0), 0, sizeof(fs_packet_record) << 10);
  }

  CardWindow& window() { return *reinterpret_cast<CardWindow*>(window_memory_.address()); }
  void write(uint32_t kernel, uint32_t offset, uint32_t value) { engine_.write(kernel, offset, value); }
  uint32_t read(uint32_t kernel, uint32_t offset) { return engine_.read(kernel, offset); }

  void send(uint32_t port, const std::vector<Frame>& frames, uint32_t rounds) {
    const std::vector<uint8_t> blocks = capture_blocks(frames);
    const uint64_t base = (kRings + port) * kBankBytes;
    std::memcpy(memory_.at(base), blocks.data(), blocks.size());
    const uint32_t kernel = source_kernel(port);
    write(kernel, SOURCE(base_address), static_cast<uint32_t>(base));
    write(kernel, SOURCE(base_address) + 4, static_cast<uint32_t>(base >> 32));
    write(kernel, SOURCE(units), static_cast<uint32_t>(blocks.size() / kUnitBytes));
    write(kernel, SOURCE(rounds), rounds);
    write(kernel, kControlOffset, kStart);
  }
  void work_until_idle(uint32_t port) {
    for (int i = 0; i < 1'000'000 && (read(source_kernel(port), kControlOffset) & kIdle) == 0; i++) engine_.work();
  }
  ModelEngine& engine() { return engine_; }

 private:
  std::vector<FaultSpec> faults_;
  SharedMemory window_memory_;
  DeviceMemory memory_;
  Wires wires_;
  ModelEngine engine_;
};

TEST(frames_of_both_sources_come_to_their_taps) {
  CardBench card;
  const std::vector<Frame> frames = frames_of(std::vector<size_t>(100, 60));
  card.write(kRingKernel, kControlOffset, kStart);
  for (uint32_t port = 0; port < kPorts; port++) {
    card.write(port, kControlOffset, kStart);
    card.send(port, frames, port + 1);
  }
  for (uint32_t port = 0; port < kPorts; port++) {
    card.work_until_idle(port);
    CHECK_EQUAL(100 * (port + 1), card.read(port, TAP(received_packets)));
    CHECK_EQUAL(100 * (port + 1), card.engine().received_packets(port));
  }
  CHECK_EQUAL(300, card.read(kRingKernel, ring_offset(0, offsetof(fs_card_ring_state, offered_packets))));
}

TEST(a_damaged_frame_of_a_source_has_no_record_and_is_counted) {
  FaultSpec fault{FaultKind::kRefusedRead};
  fault.after = 50;
  CardBench card({fault});
  card.write(kRingKernel, kControlOffset, kStart);
  card.write(0, kControlOffset, kStart);
  card.send(0, frames_of(std::vector<size_t>(100, 60)), 1);
  card.work_until_idle(0);
  CHECK_EQUAL(50, card.read(0, TAP(received_packets)));
  CHECK_EQUAL(1, card.read(0, TAP(bad_packets)));
  CHECK_EQUAL(51, card.read(source_kernel(0), SOURCE(sent_packets)));
}

/** As on a card, where nothing waits for a tap. */
TEST(what_a_source_sends_to_a_tap_that_does_not_run_is_gone) {
  CardBench card;
  card.send(0, frames_of(std::vector<size_t>(100, 60)), 1);
  card.work_until_idle(0);
  CHECK_EQUAL(100, card.read(source_kernel(0), SOURCE(sent_packets)));
  CHECK_EQUAL(0, card.read(0, TAP(received_packets)));
}

}  // namespace
}  // namespace flowstone::card::test
