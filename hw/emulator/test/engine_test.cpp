// SPDX-License-Identifier: Apache-2.0
// The model engine in the test's own process: what a kernel promises of its registers, its rings, and its end.
#include <memory>

#include "../device/card.hpp"
#include "../device/clock.hpp"
#include "../feed/generator.hpp"
#include "../model/model_engine.hpp"
#include "check.hpp"
#include "flowstone.h"
#include "ring_check.hpp"

namespace flowstone::card::test {
namespace {

#define TAP(field) static_cast<uint32_t>(offsetof(fs_card_tap_registers, field))
#define RINGS(field) static_cast<uint32_t>(offsetof(fs_card_ring_registers, field))
#define RING(ring, field) ring_offset(ring, offsetof(fs_card_ring_state, field))

constexpr uint32_t kMaxParallelism = 128;

/** An engine that works when the test says so. */
class Bench {
 public:
  explicit Bench(uint64_t packets, Pace pace = {Pace::Kind::kMost, 0}, std::vector<FaultSpec> faults = {}, uint32_t flows = 4096)
      : faults_(std::move(faults)), window_memory_("test-window", sizeof(CardWindow)) {
    wires_[0] = Wire(std::make_unique<GeneratorFeed>(GeneratorOptions{packets, flows, 1}), pace);
    engine_ = std::make_unique<ModelEngine>(window(), memory_, wires_, faults_, false);
  }

  CardWindow& window() { return *reinterpret_cast<CardWindow*>(window_memory_.address()); }
  ModelEngine& engine() { return *engine_; }
  DeviceMemory& memory() { return memory_; }

  void configure(uint32_t ring_count, uint32_t slots_log2) {
    slots_log2_ = slots_log2;
    ring_count_ = ring_count;
    for (uint32_t ring = 0; ring < kRings; ring++) {
      const uint64_t address = ring * kBankBytes;
      std::memset(memory_.at(address), 0, sizeof(fs_packet_record) << slots_log2);
      rings_write(offset_of_base(ring), static_cast<uint32_t>(address));
      rings_write(offset_of_base(ring) + 4, static_cast<uint32_t>(address >> 32));
      checks_.emplace_back(slots_log2);
    }
    rings_write(RINGS(slots_log2), slots_log2);
    rings_write(RINGS(ring_count), ring_count);
    for (uint32_t group = 0; group < kMaxParallelism; group++) tap_write(TAP(table_ring), group * ring_count / kMaxParallelism);
  }
  void start_rings() { rings_write(kControlOffset, kStart); }
  void start_tap() { tap_write(kControlOffset, kStart); }

  void rings_write(uint32_t offset, uint32_t value) { engine_->write(kRingKernel, offset, value); }
  void tap_write(uint32_t offset, uint32_t value) { engine_->write(0, offset, value); }
  uint32_t rings_read(uint32_t offset) { return engine_->read(kRingKernel, offset); }
  uint32_t tap_read(uint32_t offset) { return engine_->read(0, offset); }
  uint64_t rings_read64(uint32_t offset) { return rings_read(offset) | uint64_t{rings_read(offset + 4)} << 32; }
  uint64_t tap_read64(uint32_t offset) { return tap_read(offset) | uint64_t{tap_read(offset + 4)} << 32; }
  uint64_t head(uint32_t ring) { return rings_read64(RING(ring, head)); }
  void give_back(uint32_t ring, uint64_t position) {
    registers_of(window(), kRingKernel).write_credit(RING(ring, credit), static_cast<uint32_t>(position));
  }

  void work(int times = 1) {
    for (int i = 0; i < times; i++) engine_->work();
  }

  /** Reads what is new, straight from the card's memory. */
  void read(uint32_t ring) {
    const uint64_t end = head(ring);
    const auto* slots = reinterpret_cast<const fs_packet_record*>(memory_.at(ring * kBankBytes));
    while (check(ring).position() < end) check(ring).read(slots[check(ring).position() & ((1u << slots_log2_) - 1)]);
  }
  RingCheck& check(uint32_t ring) { return checks_[ring]; }

  /** Works until the feed is over, with a host that keeps up. */
  void run_through() {
    for (int i = 0; i < 100000 && !wires_[0].is_over(); i++) {
      work();
      for (uint32_t ring = 0; ring < ring_count_; ring++) {
        read(ring);
        give_back(ring, check(ring).position());
      }
    }
    CHECK(wires_[0].is_over());
  }

  void check_books(uint32_t ring) {
    read(ring);
    CHECK_EQUAL(rings_read64(RING(ring, offered_packets)), check(ring).packets() + check(ring).lost());
    CHECK_EQUAL(rings_read64(RING(ring, written_packets)), check(ring).packets());
    CHECK_EQUAL(rings_read64(RING(ring, dropped_packets)), check(ring).lost());
    CHECK_EQUAL(rings_read64(RING(ring, lost_recorded)), check(ring).lost());
    CHECK_EQUAL(rings_read64(RING(ring, offered_packets)), check(ring).latest_offered());
    CHECK_EQUAL(0, check(ring).damaged());
    CHECK_EQUAL(0, check(ring).most_unexplained());
  }

 private:
  std::vector<FaultSpec> faults_;
  SharedMemory window_memory_;
  DeviceMemory memory_;
  Wires wires_;
  std::unique_ptr<ModelEngine> engine_;
  uint32_t slots_log2_ = 0;
  uint32_t ring_count_ = 0;
  std::vector<RingCheck> checks_;
};

TEST(a_captures_time_goes_on_where_no_frame_comes_for_long) {
  constexpr uint64_t kSecond = 1'000'000'000, kNow = 50 * kSecond, kFrame = 7 * kSecond;
  SharedMemory memory("flowstone-card-window", sizeof(CardWindow));
  TapModel tap(registers_of(*reinterpret_cast<CardWindow*>(memory.address()), 0), true);
  tap.write(kControlOffset, kStart);
  CHECK_EQUAL(0, tap.tick_time_ns(kNow + 9 * kSecond, false));
  const std::vector<uint8_t> bytes(64);
  fs_raw_packet packet = {};
  packet.time_ns = kFrame;
  packet.captured_bytes = packet.wire_bytes = 60;
  packet.link_type = kLinkEthernet;
  const Arrived arrived{bytes.data(), &packet, 1};
  tap.saw_frames(kNow);
  tap.parse(arrived, kNow);
  tap.received(arrived, 1);
  CHECK_EQUAL(kFrame, tap.tick_time_ns(kNow + kSecond, false));
  CHECK_EQUAL(kFrame + 2 * kSecond, tap.tick_time_ns(kNow + 3 * kSecond, false));
  tap.saw_frames(kNow + 5 * kSecond);  // it waits for room in the rings
  CHECK_EQUAL(kFrame, tap.tick_time_ns(kNow + 6 * kSecond, false));
}

TEST(arguments_change_while_a_kernel_is_idle_alone) {
  Bench bench(0);
  bench.tap_write(TAP(max_parallelism), 64);
  bench.start_tap();
  bench.tap_write(TAP(max_parallelism), 32);
  bench.tap_write(TAP(ingress_port), 1);
  CHECK_EQUAL(64, bench.tap_read(TAP(max_parallelism)));
  CHECK_EQUAL(0, bench.tap_read(TAP(ingress_port)));
}

TEST(kernels_say_who_they_are_and_that_they_are_idle) {
  Bench bench(0);
  CHECK_EQUAL(FS_CARD_TAP_REGISTERS_MAGIC, bench.tap_read(kMagicOffset));
  CHECK_EQUAL(FS_CARD_TAP_REGISTERS_VERSION, bench.tap_read(kVersionOffset));
  CHECK_EQUAL(FS_CARD_RING_REGISTERS_MAGIC, bench.rings_read(kMagicOffset));
  CHECK_EQUAL(FS_CARD_RING_REGISTERS_VERSION, bench.rings_read(kVersionOffset));
  CHECK_EQUAL(kIdle, bench.tap_read(kControlOffset));
  CHECK_EQUAL(kIdle, bench.rings_read(kControlOffset));
}

TEST(arguments_out_of_bounds_become_the_nearer_bound_and_change_only_while_idle) {
  Bench bench(0);
  bench.rings_write(RINGS(slots_log2), 3);
  CHECK_EQUAL(FS_CARD_RING_REGISTERS_LEAST_SLOTS_LOG2, bench.rings_read(RINGS(slots_log2)));
  bench.rings_write(RINGS(slots_log2), 40);
  CHECK_EQUAL(FS_CARD_RING_REGISTERS_MOST_SLOTS_LOG2, bench.rings_read(RINGS(slots_log2)));
  bench.rings_write(RINGS(ring_count), 9);
  CHECK_EQUAL(kRings, bench.rings_read(RINGS(ring_count)));
  bench.rings_write(offset_of_base(1), 0x12345FFF);
  CHECK_EQUAL(0x12345000, bench.rings_read(offset_of_base(1)));
  bench.configure(2, 10);
  bench.start_rings();
  bench.rings_write(RINGS(ring_count), 5);
  CHECK_EQUAL(2, bench.rings_read(RINGS(ring_count)));
  CHECK_EQUAL(kStart, bench.rings_read(kControlOffset));
}

TEST(done_is_there_until_it_is_read) {
  Bench bench(0);
  bench.configure(1, 10);
  bench.start_rings();
  bench.rings_write(kStopOffset, 1);
  CHECK_EQUAL(kIdle | kDone | kReady, bench.rings_read(kControlOffset));
  CHECK_EQUAL(kIdle, bench.rings_read(kControlOffset));
}

TEST(a_counters_high_word_is_that_of_the_low_word_read_before) {
  Bench bench(0);
  RegisterFile registers = registers_of(bench.window(), 0);
  registers.set64(TAP(received_bytes), 0x1FFFFFFFF);
  CHECK_EQUAL(0xFFFFFFFF, registers.read(TAP(received_bytes)));
  registers.set64(TAP(received_bytes), 0x200000000);
  CHECK_EQUAL(1, registers.read(TAP(received_bytes) + 4));
  CHECK_EQUAL(0, registers.read(TAP(received_bytes)));
  CHECK_EQUAL(2, registers.read(TAP(received_bytes) + 4));
}

TEST(the_key_group_table_goes_on_by_itself_and_rules_read_as_zero) {
  Bench bench(0);
  bench.tap_write(TAP(table_address), 32767);
  bench.tap_write(TAP(table_ring), 3);
  CHECK_EQUAL(0, bench.tap_read(TAP(table_address)));
  bench.tap_write(TAP(rules), 0xFFFFFFFF);
  CHECK_EQUAL(0, bench.tap_read(TAP(rules)));
}

TEST(time_is_what_the_host_set_and_goes_on) {
  Bench bench(0);
  bench.tap_write(TAP(time_set_high), 0x18EA0000);
  bench.tap_write(TAP(time_set_low), 0);
  const uint64_t first_ns = bench.tap_read64(TAP(time_ns));
  usleep(2000);
  const uint64_t second_ns = bench.tap_read64(TAP(time_ns));
  CHECK(first_ns >= 0x18EA000000000000 && first_ns < 0x18EA000000000000 + 1'000'000'000);
  CHECK(second_ns - first_ns >= 2'000'000 && second_ns - first_ns < 1'000'000'000);
  bench.tap_write(TAP(time_increment), 0);
  CHECK_EQUAL(bench.tap_read64(TAP(time_ns)), bench.tap_read64(TAP(time_ns)));
}

TEST(credit_that_goes_back_or_beyond_the_head_is_ignored) {
  Bench bench(100);
  bench.configure(1, 10);
  bench.start_rings();
  bench.start_tap();
  bench.work();
  const uint64_t head = bench.head(0);
  bench.give_back(0, head + 1);
  CHECK_EQUAL(0, bench.rings_read(RING(0, credit)));
  bench.give_back(0, 50);
  CHECK_EQUAL(50, bench.rings_read(RING(0, credit)));
  bench.give_back(0, 49);
  CHECK_EQUAL(50, bench.rings_read(RING(0, credit)));
  bench.give_back(0, head);
  CHECK_EQUAL(head, bench.rings_read(RING(0, credit)));
}

TEST(rings_go_round_many_times_without_a_loss) {
  Bench bench(200'000, {Pace::Kind::kWait, 0});
  bench.configure(4, 10);
  bench.start_rings();
  bench.start_tap();
  bench.run_through();
  bench.tap_write(kStopOffset, 1);
  bench.rings_write(kStopOffset, 1);
  uint64_t packets = 0;
  for (uint32_t ring = 0; ring < 4; ring++) {
    bench.check_books(ring);
    CHECK_EQUAL(0, bench.check(ring).lost());
    CHECK(bench.check(ring).position() > 10 * 1024);  // more than the seven generations
    packets += bench.check(ring).packets();
  }
  CHECK_EQUAL(200'000, packets);
  CHECK_EQUAL(200'000, bench.tap_read64(TAP(received_packets)));
  CHECK_EQUAL(200'000, bench.tap_read64(TAP(sent_packets)));
}

TEST(a_ring_that_nobody_reads_drops_and_tells_of_every_packet) {
  Bench bench(50'000);
  bench.configure(2, 10);
  bench.start_rings();
  bench.start_tap();
  bench.work(100);
  CHECK_EQUAL(1, bench.rings_read(RING(0, status)) & 1);
  CHECK(bench.head(0) <= 1024 - 4);
  bench.tap_write(kStopOffset, 1);
  bench.rings_write(kStopOffset, 1);
  CHECK(bench.head(0) <= 1024);
  for (uint32_t ring = 0; ring < 2; ring++) {
    bench.check_books(ring);
    CHECK(bench.check(ring).lost() > 10'000);
    CHECK_EQUAL(1, bench.check(ring).losses());
  }
}

TEST(a_loss_is_told_before_the_first_packet_that_has_room_again) {
  Bench bench(100'000);
  bench.configure(1, 10);
  bench.start_rings();
  bench.start_tap();
  bench.work(3);
  const uint64_t dropped = bench.rings_read64(RING(0, dropped_packets));
  CHECK(dropped > 0);
  bench.read(0);
  CHECK_EQUAL(0, bench.check(0).losses());
  bench.give_back(0, bench.check(0).position());
  bench.work(1);
  bench.read(0);
  CHECK_EQUAL(1, bench.check(0).losses());
  CHECK_EQUAL(dropped, bench.check(0).lost());
  CHECK_EQUAL(0, bench.rings_read64(RING(0, offered_packets)) - bench.rings_read64(RING(0, written_packets)) -
                     bench.rings_read64(RING(0, dropped_packets)));
}

TEST(a_wire_that_waits_goes_on_when_there_is_room) {
  Bench bench(10'000, {Pace::Kind::kWait, 0});
  bench.configure(1, 10);
  bench.start_rings();
  bench.start_tap();
  bench.work(20);
  const uint64_t head = bench.head(0);
  CHECK(head > 1000 && head <= 1020);
  CHECK_EQUAL(head - 1, bench.tap_read64(TAP(received_packets)));  // one TIME record
  CHECK_EQUAL(0, bench.rings_read64(RING(0, dropped_packets)));
  bench.run_through();
  bench.tap_write(kStopOffset, 1);
  bench.rings_write(kStopOffset, 1);
  bench.check_books(0);
  CHECK_EQUAL(10'000, bench.check(0).packets());
}

TEST(packets_for_a_ring_that_is_not_there_are_counted_as_misdirected) {
  Bench bench(10'000, {Pace::Kind::kMost, 0});
  bench.configure(2, 14);
  for (uint32_t group = 0; group < 64; group++) bench.tap_write(TAP(table_ring), 6);  // from key group 0 on: it goes on from 128
  bench.tap_write(TAP(table_address), 0);
  for (uint32_t group = 0; group < 64; group++) bench.tap_write(TAP(table_ring), 6);
  bench.start_rings();
  bench.start_tap();
  bench.run_through();
  bench.tap_write(kStopOffset, 1);
  bench.rings_write(kStopOffset, 1);
  const uint64_t misdirected = bench.rings_read64(RINGS(misdirected_packets));
  CHECK(misdirected > 1000);
  CHECK_EQUAL(10'000, misdirected + bench.rings_read64(RING(0, offered_packets)) + bench.rings_read64(RING(1, offered_packets)));
  CHECK_EQUAL(0, bench.rings_read64(RING(6, offered_packets)));
}

TEST(records_that_come_while_the_rings_take_none_are_counted_as_discarded) {
  Bench bench(1000);
  bench.configure(1, 10);
  bench.start_tap();
  bench.work(3);
  CHECK_EQUAL(1000, bench.rings_read64(RINGS(discarded_packets)));
  bench.start_rings();
  CHECK_EQUAL(0, bench.rings_read64(RINGS(discarded_packets)));
}

TEST(a_rule_gives_a_class_or_drops) {
  Bench bench(20'000, {Pace::Kind::kWait, 0});
  bench.configure(1, 14);
  fs_card_rule drops_udp = {}, marks_https = {};
  drops_udp.value.protocol = 17;
  drops_udp.mask.protocol = 0xFF;
  drops_udp.verdict = 1u << FS_CARD_RULE_VALID_SHIFT | 1u << FS_CARD_RULE_DROPS_SHIFT;
  marks_https.value.destination_port = 443;
  marks_https.mask.destination_port = 0xFFFF;
  marks_https.verdict = 1u << FS_CARD_RULE_VALID_SHIFT | 9u;
  const fs_card_rule rules[2] = {drops_udp, marks_https};
  uint32_t words[sizeof rules / 4];
  std::memcpy(words, rules, sizeof rules);
  for (uint32_t i = 0; i < sizeof rules / 4; i++) bench.tap_write(TAP(rules) + 4 * i, words[i]);
  bench.tap_write(TAP(classifying), 1);
  bench.check(0).keeps_records = true;
  bench.start_rings();
  bench.start_tap();
  bench.run_through();
  bench.tap_write(kStopOffset, 1);
  bench.rings_write(kStopOffset, 1);
  bench.check_books(0);
  const uint64_t filtered = bench.tap_read64(TAP(filtered_packets));
  CHECK(filtered > 1000);
  CHECK_EQUAL(20'000, filtered + bench.tap_read64(TAP(sent_packets)));
  CHECK_EQUAL(20'000, bench.tap_read64(TAP(received_packets)));
  for (const fs_packet_record& record : bench.check(0).records) {
    const uint32_t traffic_class = record.descriptor >> FS_PACKET_RECORD_TRAFFIC_CLASS_SHIFT & FS_PACKET_RECORD_TRAFFIC_CLASS_MASK;
    CHECK(record.protocol != 17);
    CHECK_EQUAL(record.destination_port == 443 ? 9 : 0, traffic_class);
  }
}

TEST(each_flow_is_in_the_ring_of_its_key_group) {
  Bench bench(20'000, {Pace::Kind::kWait, 0});
  bench.configure(8, 12);
  for (uint32_t ring = 0; ring < 8; ring++) bench.check(ring).keeps_records = true;
  bench.start_rings();
  bench.start_tap();
  bench.run_through();
  for (uint32_t ring = 0; ring < 8; ring++) {
    for (const fs_packet_record& record : bench.check(ring).records) {
      CHECK_EQUAL(ring, flowstone_key_group(record.flow_hash, kMaxParallelism) * 8 / kMaxParallelism);
    }
  }
}

TEST(a_ring_is_told_the_time_at_least_each_65536_slots) {
  Bench bench(200'000, {Pace::Kind::kWait, 0});
  bench.configure(1, 12);
  bench.tap_write(TAP(time_increment), 0);  // time stands still: no step makes a TIME record
  bench.start_rings();
  bench.start_tap();
  bench.run_through();
  CHECK_EQUAL(1 + 200'000 / 65535, bench.check(0).times());
  CHECK_EQUAL(65536, bench.check(0).longest_gap_slots());
}

TEST(a_quiet_ring_is_told_the_time_each_second) {
  Bench bench(1);
  bench.configure(1, 10);
  bench.start_rings();
  bench.start_tap();
  bench.work(2);
  bench.read(0);
  CHECK_EQUAL(1, bench.check(0).times());
  const uint64_t first_ns = bench.check(0).latest_ns();
  bench.tap_write(TAP(time_set_high), 1);  // a clock that is far ahead
  bench.tap_write(TAP(time_set_low), 0);
  bench.tap_write(TAP(tick_cycles), 0);
  bench.work(2);
  bench.read(0);
  CHECK_EQUAL(2, bench.check(0).times());
  CHECK(bench.check(0).latest_ns() >= first_ns + 1'000'000'000);
}

TEST(a_start_begins_at_position_zero_with_fresh_counters) {
  Bench bench(2'000, {Pace::Kind::kRate, 1'000'000'000});
  bench.configure(1, 12);
  bench.start_rings();
  bench.start_tap();
  bench.work(2);
  CHECK(bench.head(0) > 0);
  bench.tap_write(kStopOffset, 1);
  bench.rings_write(kStopOffset, 1);
  bench.start_rings();
  CHECK_EQUAL(0, bench.head(0));
  CHECK_EQUAL(0, bench.rings_read(RING(0, credit)));
  CHECK_EQUAL(0, bench.rings_read64(RING(0, offered_packets)));
  bench.start_tap();
  CHECK_EQUAL(0, bench.tap_read64(TAP(received_packets)));
}

// ---- Faults in slots ----

std::vector<FaultSpec> fault(const char* text) { return {parse_fault(text)}; }

TEST(slots_that_are_late_come) {
  Bench bench(2000, {Pace::Kind::kMost, 0}, fault("late-head:after=1500,slots=8,delay-us=1000"));
  bench.configure(1, 12);
  bench.start_rings();
  bench.start_tap();
  bench.work(3);
  const auto* slots = reinterpret_cast<const fs_packet_record*>(bench.memory().at(0));
  const uint64_t head = bench.head(0);
  CHECK_EQUAL(0, generation_of(slots[head - 1]));
  CHECK_EQUAL(0, generation_of(slots[head - 8]));
  CHECK_EQUAL(1, generation_of(slots[head - 9]));
  CHECK_EQUAL(1, bench.window().faults.injected[static_cast<uint32_t>(FaultKind::kLateHead)]);
  usleep(1500);
  bench.work();
  CHECK_EQUAL(1, generation_of(slots[head - 1]));
  CHECK_EQUAL(1, generation_of(slots[head - 8]));
}

TEST(a_torn_record_has_its_second_half_late) {
  Bench bench(2000, {Pace::Kind::kMost, 0}, fault("torn-record:after=1500,delay-us=1000"));
  bench.configure(1, 12);
  bench.start_rings();
  bench.start_tap();
  bench.work(3);
  const auto* slots = reinterpret_cast<const fs_packet_record*>(bench.memory().at(0));
  const uint64_t last = bench.head(0) - 1;
  CHECK_EQUAL(0, generation_of(slots[last]));
  CHECK(slots[last].time_low != 0);
  usleep(1500);
  bench.work();
  CHECK_EQUAL(1, generation_of(slots[last]));
}

TEST(a_stale_slot_stays_and_a_duplicate_is_one_packet_too_many) {
  Bench stale(2000, {Pace::Kind::kMost, 0}, fault("stale-lap:after=1500"));
  Bench doubled(2000, {Pace::Kind::kMost, 0}, fault("duplicate:after=1500"));
  for (Bench* bench : {&stale, &doubled}) {
    bench->configure(1, 12);
    bench->start_rings();
    bench->start_tap();
    bench->run_through();
    bench->tap_write(kStopOffset, 1);
    bench->rings_write(kStopOffset, 1);
    bench->read(0);
    CHECK_EQUAL(1, bench->check(0).unexplained());
  }
  CHECK_EQUAL(1, stale.check(0).damaged());
  CHECK_EQUAL(1999, stale.check(0).packets());
  CHECK_EQUAL(0, doubled.check(0).damaged());
  CHECK_EQUAL(2001, doubled.check(0).packets());
}

TEST(a_refused_write_holds_one_rings_head_until_the_next_start) {
  Bench bench(20'000, {Pace::Kind::kMost, 0}, fault("refused-write:after=1000,ring=0"));
  bench.configure(2, 14);
  bench.start_rings();
  bench.start_tap();
  bench.run_through();
  CHECK_EQUAL(2, bench.rings_read(RING(0, status)) & 2);
  CHECK_EQUAL(0, bench.rings_read(RING(1, status)) & 2);
  CHECK(bench.head(0) < 2000);
  CHECK(bench.head(1) > 8000);
  bench.tap_write(kStopOffset, 1);
  bench.rings_write(kStopOffset, 1);
  bench.start_rings();
  CHECK_EQUAL(0, bench.rings_read(RING(0, status)));
}

}  // namespace
}  // namespace flowstone::card::test
