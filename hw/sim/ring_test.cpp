// SPDX-License-Identifier: Apache-2.0
// ht_ring, cycle by cycle. Behind every test stand the checks of the bench: each slot that the head shows is in memory at that moment
// and is the one that the reference expects; each burst keeps the rules of the port; at the end every packet is accounted for.
#include <algorithm>
#include <cstdlib>

#include "ring_host.hpp"

namespace flowstone::sim {
namespace {

constexpr uint64_t kSlots = 1u << FS_CARD_RING_REGISTERS_LEAST_SLOTS_LOG2;
constexpr uint64_t kReserved = FS_RING_FILE_HEADER_RESERVED_SLOTS;
constexpr uint64_t kTimeNs = 1'795'219'200'000'000'000;
constexpr uint64_t kSecondNs = 1'000'000'000;
constexpr uint64_t kBurst = FS_CARD_RING_REGISTERS_BURST_SLOTS;

Setup seeded() {
  Setup setup;
  setup.seed = seed;
  return setup;
}

MemoryBehaviour latency(uint64_t least, uint64_t most) {
  MemoryBehaviour behaviour;
  behaviour.least_latency = least;
  behaviour.most_latency = most;
  return behaviour;
}

/** Sends what is in a list, one after the other. */
std::function<bool(Beat&)> list(std::vector<Beat> beats) {
  size_t next = 0;
  return [beats = std::move(beats), next](Beat& beat) mutable {
    if (next == beats.size()) {
      return false;
    }
    beat = beats[next++];
    return true;
  };
}

Beat packet(uint64_t time_ns, uint32_t ring = 0) { return {time_ns, ring, false}; }
Beat tick(uint64_t time_ns) { return {time_ns, 0, true}; }

void send(Bench& bench, uint32_t port, std::vector<Beat> beats) {
  const uint64_t sent = bench.sent(port) + beats.size();
  bench.source[port] = list(std::move(beats));
  bench.run_until([&] { return bench.sent(port) == sent; });
  bench.drain();
}

std::vector<Beat> packets(uint64_t count, uint32_t ring = 0) {
  std::vector<Beat> beats;
  for (uint64_t i = 0; i < count; i++) {
    beats.push_back(packet(kTimeNs + i, ring));
  }
  return beats;
}

Slot seen(Bench& bench, uint32_t ring, uint64_t position) { return bench.memory(ring).slot(position); }

fs_time_record time_at(Bench& bench, uint32_t ring, uint64_t position) {
  fs_time_record record;
  memcpy(&record, seen(bench, ring, position).data(), sizeof record);
  CHECK_EQUAL(FS_RECORD_KIND_TIME, kind(record_of(seen(bench, ring, position))));
  return record;
}

fs_loss_record loss_at(Bench& bench, uint32_t ring, uint64_t position) {
  fs_loss_record record;
  memcpy(&record, seen(bench, ring, position).data(), sizeof record);
  CHECK_EQUAL(FS_RECORD_KIND_LOSS, kind(record_of(seen(bench, ring, position))));
  return record;
}

void give_back_to(Bench& bench, uint32_t ring, uint64_t credit) {
  bench.write(RING_REGISTER(ring, credit), static_cast<uint32_t>(credit));
  bench.run(10);
}

// ---- Registers ----

TEST(registers_say_what_they_were_told) {
  Bench bench(seeded());
  CHECK_EQUAL(kIdle, bench.read(KERNEL_REGISTER(control)));
  CHECK_EQUAL(FS_CARD_RING_REGISTERS_MAGIC, bench.read(KERNEL_REGISTER(magic)));
  CHECK_EQUAL(FS_CARD_RING_REGISTERS_VERSION, bench.read(KERNEL_REGISTER(version)));
  CHECK_EQUAL(0x20261121, bench.read(KERNEL_REGISTER(build)));
  CHECK_EQUAL(256, bench.read(KERNEL_REGISTER(flush_cycles)));
  bench.configure();
  for (uint32_t ring = 0; ring < kRings; ring++) {
    CHECK_EQUAL(bench.base(ring), bench.read_counter(KERNEL_REGISTER(base_addresses) + 8 * ring));
  }
  CHECK_EQUAL(10, bench.read(KERNEL_REGISTER(slots_log2)));
  CHECK_EQUAL(8, bench.read(KERNEL_REGISTER(ring_count)));
  CHECK_EQUAL(64, bench.read(KERNEL_REGISTER(flush_cycles)));

  bench.write(KERNEL_REGISTER(base_addresses), 0x12345fff);
  CHECK_EQUAL(0x12345000, bench.read(KERNEL_REGISTER(base_addresses)));
  for (const auto& [asked, given] : {std::pair{0u, 10u}, {9u, 10u}, {22u, 22u}, {23u, 22u}, {UINT32_MAX, 22u}}) {
    bench.write(KERNEL_REGISTER(slots_log2), asked);
    CHECK_EQUAL(given, bench.read(KERNEL_REGISTER(slots_log2)));
  }
  for (const auto& [asked, given] : {std::pair{0u, 0u}, {3u, 3u}, {9u, 8u}, {16u, 8u}, {UINT32_MAX, 8u}}) {
    bench.write(KERNEL_REGISTER(ring_count), asked);
    CHECK_EQUAL(given, bench.read(KERNEL_REGISTER(ring_count)));
  }
  for (uint32_t address : {4u, 0x54u, 0x0fcu, 0x114u, 0x128u, 0x238u, 0x400u, 0xffcu}) {
    bench.write(address, UINT32_MAX);
    CHECK_EQUAL(0, bench.read(address));
  }
}

TEST(arguments_hold_while_the_kernel_runs) {
  Bench bench(seeded());
  bench.configure();
  bench.start();
  bench.write(KERNEL_REGISTER(slots_log2), 20);
  bench.write(KERNEL_REGISTER(ring_count), 1);
  bench.write(KERNEL_REGISTER(base_addresses), 0x1000);
  bench.write(KERNEL_REGISTER(control), kStart);
  CHECK_EQUAL(10, bench.read(KERNEL_REGISTER(slots_log2)));
  CHECK_EQUAL(8, bench.read(KERNEL_REGISTER(ring_count)));
  CHECK_EQUAL(bench.base(0), bench.read_counter(KERNEL_REGISTER(base_addresses)));
  send(bench, 0, packets(100, 3));
  CHECK_EQUAL(101, bench.head(3));
  bench.finish();
}

TEST(control_says_running_done_once_and_idle) {
  Bench bench(seeded());
  bench.configure();
  bench.start();
  CHECK_EQUAL(kStart, bench.read(KERNEL_REGISTER(control)));
  bench.stop();
  bench.run(200);
  const uint32_t done = kDone | kReady | kIdle;
  CHECK_EQUAL(done, bench.read(KERNEL_REGISTER(control)));
  CHECK_EQUAL(kIdle, bench.read(KERNEL_REGISTER(control)));
  bench.check_end();
}

TEST(counter_is_one_number_though_it_is_read_in_two_words) {
  Bench bench(seeded());
  bench.configure();
  bench.start();
  Host host(bench, Host::gives_all_back());
  bench.source[0] = Traffic(bench, 100000).to_rings(1);
  // 2^32 bytes are 16,400 frames of 256 KiB: the low word's turn falls between the two reads.
  const auto bytes = [&] { return bench.reference(0).counters().offered_bytes; };
  bench.run_until([&] { return bytes() > 0xff000000; });
  bench.host = {};
  const uint64_t before = bytes();
  const uint32_t low = bench.read(RING_REGISTER(0, offered_bytes));
  const uint64_t after = bytes();
  bench.host = [] {};
  bench.run_until([&] { return bytes() > UINT64_C(0x100000000); });
  // Another counter, and another ring, in between.
  bench.read_counter(RING_REGISTER(0, offered_packets));
  bench.read_counter(RING_REGISTER(1, offered_bytes));
  const uint32_t high = bench.read(RING_REGISTER(0, offered_bytes) + 4);
  CHECK_EQUAL(0, high);
  const uint64_t value = low | uint64_t{high} << 32;
  CHECK(value >= before - 2 * kLongestFrame && value <= after);
  CHECK(bench.read_counter(RING_REGISTER(0, offered_bytes)) > UINT64_C(0x100000000));
  bench.finish();
}

// ---- Slots ----

TEST(first_packet_stands_behind_a_time_record) {
  Bench bench(seeded());
  bench.configure();
  bench.start();
  send(bench, 1, {packet(kTimeNs, 5)});
  CHECK_EQUAL(2, bench.head(5));
  CHECK_EQUAL(kTimeNs, time_at(bench, 5, 0).time_ns);
  CHECK_EQUAL(0, time_at(bench, 5, 0).offered_packets);
  CHECK_EQUAL(1, generation(record_of(seen(bench, 5, 0))));
  bench.finish();
  // The last record repeats the time, for its counters.
  CHECK_EQUAL(3, bench.head(5));
  CHECK_EQUAL(kTimeNs, time_at(bench, 5, 2).time_ns);
  CHECK_EQUAL(1, time_at(bench, 5, 2).offered_packets);
  // A ring that got nothing still hears when that was.
  CHECK_EQUAL(1, bench.head(0));
  CHECK_EQUAL(kTimeNs, time_at(bench, 0, 0).time_ns);
}

TEST(ring_goes_round_and_generations_come_again) {
  Bench bench(seeded());
  bench.configure();
  bench.start();
  Host host(bench, Host::gives_all_back());
  send_all(bench, Traffic(bench, 9 * kSlots).percent(80).to_rings(1), Traffic(bench, 0));
  CHECK(bench.head(0) > 8 * kSlots);
  CHECK_EQUAL(0, bench.reference(0).counters().dropped_packets);
  CHECK_EQUAL((bench.head(0) - 1) / kSlots % 7 + 1, generation(record_of(seen(bench, 0, bench.head(0) - 1))));
  bench.finish();
}

TEST(full_ring_keeps_four_slots_and_resumes_behind_a_loss_record) {
  Bench bench(seeded());
  bench.configure();
  bench.start();
  send(bench, 0, packets(3000));
  const uint64_t first = kSlots - kReserved - 1;  // a TIME record has one slot
  CHECK_EQUAL(kSlots - kReserved, bench.head(0));
  CHECK_EQUAL(first, bench.read_counter(RING_REGISTER(0, written_packets)));
  CHECK_EQUAL(3000 - first, bench.read_counter(RING_REGISTER(0, dropped_packets)));
  CHECK_EQUAL(0, bench.read_counter(RING_REGISTER(0, lost_recorded)));
  CHECK_EQUAL(kFull, bench.read(RING_REGISTER(0, status)));

  // One slot is not enough: the packet needs one for itself and one for the LOSS record.
  give_back_to(bench, 0, 1);
  send(bench, 0, packets(1));
  CHECK_EQUAL(kSlots - kReserved, bench.head(0));
  give_back_to(bench, 0, 2);
  send(bench, 0, {packet(kTimeNs + 5)});
  CHECK_EQUAL(kSlots - kReserved + 2, bench.head(0));
  CHECK_EQUAL(0, bench.read(RING_REGISTER(0, status)));
  const fs_loss_record loss = loss_at(bench, 0, kSlots - kReserved);
  CHECK_EQUAL(3001 - first, loss.lost_packets);
  CHECK_EQUAL(kTimeNs + first, loss.first_lost_ns);
  CHECK_EQUAL(kTimeNs, loss.last_lost_ns);
  CHECK_EQUAL(3001 - first, bench.read_counter(RING_REGISTER(0, lost_recorded)));

  // The same again, with the time to tell as well.
  send(bench, 0, {packet(kTimeNs)});
  give_back_to(bench, 0, 4);
  send(bench, 0, {packet(kTimeNs + kSecondNs)});
  CHECK_EQUAL(kSlots - kReserved + 2, bench.head(0));
  give_back_to(bench, 0, 5);
  send(bench, 0, {packet(kTimeNs + kSecondNs)});
  CHECK_EQUAL(kSlots - kReserved + 5, bench.head(0));
  CHECK_EQUAL(2, loss_at(bench, 0, kSlots - kReserved + 2).lost_packets);
  CHECK_EQUAL(kTimeNs + kSecondNs, time_at(bench, 0, kSlots - kReserved + 3).time_ns);
  bench.finish();
}

TEST(losses_are_told_exactly) {
  Setup setup = seeded();
  setup.memory = latency(20, 300);
  Bench bench(setup);
  bench.configure();
  bench.start();
  // A host that is slower than the ports.
  Host host(bench, [&](uint32_t, uint64_t head, uint64_t credit) {
    const uint64_t given = bench.random().below(40);
    return credit + (given < head - credit ? given : head - credit);
  });
  send_all(bench, Traffic(bench, 20000).percent(60).to_rings(3), Traffic(bench, 20000).percent(60).to_rings(3));
  bench.finish();
  for (uint32_t ring = 0; ring < 3; ring++) {
    CHECK(bench.reader(ring).lost() > 1000);
    CHECK(bench.reference(ring).loss_records() > 20);
  }
}

TEST(time_record_stands_at_least_every_65536_slots) {
  // The ring is full just when the time is due, so that the LOSS record stands before, in or behind that slot; and there is first
  // just not room enough for all that has to stand before the packet.
  struct Case {
    uint64_t full_at;
    uint64_t placed;  // with four slots given back one by one, a packet sent after each
  };
  for (const auto& [full_at, placed] : {Case{65533, 3}, {65534, 2}, {65535, 4}, {65536, 4}}) {
    Bench bench(seeded());
    bench.configure();
    bench.start();
    uint64_t most_credit = full_at - (kSlots - kReserved);
    Host host(bench, [&](uint32_t, uint64_t head, uint64_t) { return head < most_credit ? head : most_credit; });
    bench.source[0] = Traffic(bench, UINT64_MAX).to_rings(1);
    bench.run_until([&] { return bench.reference(0).counters().dropped_packets > 0; });
    bench.drain();
    CHECK_EQUAL(full_at, bench.head(0));
    for (int given = 1; given <= 4; given++) {
      most_credit++;
      bench.run(500);
      send(bench, 0, {packet(kTimeNs + given)});
    }
    CHECK_EQUAL(full_at + placed, bench.head(0));
    most_credit = UINT64_MAX;
    bench.run(500);
    send(bench, 0, packets(500));
    CHECK_EQUAL(2, bench.reference(0).time_records());
    bench.finish();
  }
}

TEST(time_is_told_where_it_steps_in_either_direction) {
  Bench bench(seeded());
  bench.configure();
  bench.start();
  send(bench, 0,
       {packet(kTimeNs), packet(kTimeNs + kSecondNs - 1), packet(kTimeNs - kSecondNs + 1), packet(kTimeNs + kSecondNs),
        packet(kTimeNs + 1), packet(kTimeNs), packet(kTimeNs - 3600 * kSecondNs), packet(kTimeNs + (kSecondNs << 12))});
  CHECK_EQUAL(13, bench.head(0));
  CHECK_EQUAL(kTimeNs + kSecondNs, time_at(bench, 0, 4).time_ns);
  CHECK_EQUAL(kTimeNs, time_at(bench, 0, 7).time_ns);
  CHECK_EQUAL(kTimeNs - 3600 * kSecondNs, time_at(bench, 0, 9).time_ns);
  CHECK_EQUAL(kTimeNs + (kSecondNs << 12), time_at(bench, 0, 11).time_ns);
  // Packets that wait in the stages behind a step are measured from there.
  std::vector<Beat> beats;
  for (uint64_t i = 0; i < 400; i++) {
    beats.push_back(packet(kTimeNs + bench.random().below(4) * kSecondNs * 6 / 10));
  }
  send(bench, 0, beats);
  bench.finish();
}

TEST(quiet_ring_is_told_the_time_that_both_ports_have_passed) {
  Bench bench(seeded());
  bench.configure();
  bench.start();
  // Port 1 has said nothing yet and does not count.
  send(bench, 0, {tick(kTimeNs)});
  CHECK_EQUAL(1, bench.head(2));
  CHECK_EQUAL(kTimeNs, time_at(bench, 2, 0).time_ns);
  send(bench, 0, {tick(kTimeNs + kSecondNs - 1)});
  CHECK_EQUAL(1, bench.head(2));
  send(bench, 0, {tick(kTimeNs + kSecondNs)});
  CHECK_EQUAL(2, bench.head(2));
  // Now port 1 is behind, and holds the others back.
  send(bench, 1, {tick(kTimeNs + 1)});
  send(bench, 0, {tick(kTimeNs + 10 * kSecondNs)});
  CHECK_EQUAL(2, bench.head(2));
  send(bench, 1, {packet(kTimeNs + 5 * kSecondNs, 0)});
  CHECK_EQUAL(2, bench.head(2));
  send(bench, 0, {tick(kTimeNs + 11 * kSecondNs)});
  CHECK_EQUAL(3, bench.head(2));
  CHECK_EQUAL(kTimeNs + 5 * kSecondNs, time_at(bench, 2, 2).time_ns);
  // A ring that went ahead by its packets is not told of an earlier time by ticks.
  send(bench, 0, {packet(kTimeNs + 20 * kSecondNs, 2), tick(kTimeNs + 20 * kSecondNs)});
  CHECK_EQUAL(5, bench.head(2));
  bench.finish();
}

TEST(quiet_ring_that_is_full_hears_of_losses_and_the_time_in_the_reserve) {
  Bench bench(seeded());
  bench.configure();
  bench.start();
  send(bench, 0, packets(2000));
  CHECK_EQUAL(kSlots - kReserved, bench.head(0));
  send(bench, 0, {tick(kTimeNs + 2 * kSecondNs)});
  CHECK_EQUAL(kSlots - kReserved + 2, bench.head(0));
  loss_at(bench, 0, kSlots - kReserved);
  CHECK_EQUAL(2000, time_at(bench, 0, kSlots - kReserved + 1).offered_packets);
  // Two slots remain, and they are for the end.
  send(bench, 0, {packet(kTimeNs + 2 * kSecondNs), tick(kTimeNs + 4 * kSecondNs)});
  CHECK_EQUAL(kSlots - kReserved + 2, bench.head(0));
  bench.finish();
  CHECK_EQUAL(kSlots, bench.head(0));
  CHECK_EQUAL(1, loss_at(bench, 0, kSlots - 2).lost_packets);
}

TEST(misdirected_packets_are_counted_and_not_written) {
  Setup setup = seeded();
  setup.ring_count = 3;
  Bench bench(setup);
  bench.configure();
  bench.start();
  send_all(bench, Traffic(bench, 500).ticks(10), Traffic(bench, 500).percent(50).ticks(10));
  CHECK(bench.misdirected() > 400);
  for (uint32_t ring = 3; ring < kRings; ring++) {
    CHECK_EQUAL(0, bench.memory(ring).bursts());
  }
  bench.finish();
}

// ---- The memory's side ----

TEST(burst_is_sent_when_it_is_whole_or_nothing_came_for_flush_cycles) {
  Setup setup = seeded();
  setup.flush_cycles = 500;
  Bench bench(setup);
  bench.configure();
  bench.start();
  bench.source[0] = list(packets(kBurst - 1));  // and a TIME record: a whole one
  bench.run_until([&] { return bench.head(0) == kBurst; }, 100);
  bench.source[0] = list(packets(3));
  bench.run(490);
  CHECK_EQUAL(1, bench.memory(0).bursts());
  // Another one makes it wait anew.
  bench.source[0] = list(packets(1));
  bench.run(490);
  CHECK_EQUAL(1, bench.memory(0).bursts());
  bench.run_until([&] { return bench.head(0) == kBurst + 4; }, 60);
  // What began behind a multiple of 16 ends at the next one.
  bench.source[0] = list(packets(30));
  bench.run_until([&] { return bench.head(0) == 3 * kBurst; }, 200);
  CHECK_EQUAL(4, bench.memory(0).bursts());
  bench.run_until([&] { return bench.head(0) == 3 * kBurst + 2; }, 600);
  CHECK_EQUAL(5, bench.memory(0).bursts());
  bench.finish();
}

TEST(bursts_of_any_length_stay_within_1_kib) {
  Setup setup = seeded();
  setup.flush_cycles = 0;
  setup.memory = latency(0, 50);
  Bench bench(setup);
  bench.configure();
  bench.start();
  Host host(bench, Host::gives_all_back());
  send_all(bench, Traffic(bench, 6000).percent(20).to_rings(2), Traffic(bench, 6000).percent(60).to_rings(2));
  send_all(bench, Traffic(bench, 3000).to_rings(1), Traffic(bench, 3000).to_rings(1));
  CHECK(bench.memory(0).whole_bursts() > 0);
  CHECK(bench.memory(0).bursts() > bench.memory(0).whole_bursts() + 100);
  bench.finish();
}

TEST(head_waits_for_answers_that_overtake_each_other) {
  Setup setup = seeded();
  setup.memory = latency(0, 2000);
  Bench bench(setup);
  bench.configure();
  bench.start();
  Host host(bench, Host::gives_all_back());
  send_all(bench, Traffic(bench, 6000).to_rings(1), Traffic(bench, 6000).to_rings(2));
  CHECK(bench.memory(0).overtaken() > 20);
  CHECK_EQUAL(16, bench.memory(0).most_outstanding());
  bench.finish();
}

TEST(slow_memory_makes_the_ports_wait_and_loses_nothing) {
  Setup setup = seeded();
  setup.memory = latency(0, 100);
  setup.memory.address_stall_percent = 90;
  setup.memory.data_stall_percent = 60;
  Bench bench(setup);
  bench.configure();
  bench.start();
  Host host(bench, Host::gives_all_back());
  send_all(bench, Traffic(bench, 4000).to_rings(1), Traffic(bench, 4000).to_rings(1));
  CHECK(bench.stalls(0) > 1000 && bench.stalls(1) > 1000);
  CHECK_EQUAL(0, bench.reference(0).counters().dropped_packets);
  CHECK_EQUAL(8000, bench.reader(0).packets());
  bench.finish();
}

TEST(ring_that_waits_does_not_hold_back_the_other_port) {
  Setup setup = seeded();
  Bench bench(setup);
  bench.configure();
  bench.start();
  bench.memory(0).behaviour.data_stall_percent = 100;
  Host host(bench, Host::gives_all_back());
  bench.source[0] = list(packets(3000, 0));
  bench.run(3000);
  CHECK(bench.stalls(0) > 500);
  bench.source[1] = list(packets(2000, 1));
  bench.run(2500);
  CHECK_EQUAL(2000, bench.reader(1).packets());
  CHECK_EQUAL(0, bench.stalls(1));
  bench.memory(0).behaviour.data_stall_percent = 0;
  bench.drain();
  bench.finish();
}

TEST(refused_write_holds_the_head_and_nothing_else) {
  Setup setup = seeded();
  setup.memory = latency(0, 200);
  Bench bench(setup);
  bench.configure();
  bench.start();
  bench.memory(1).behaviour.refuses = [](uint64_t burst) { return burst == 20 || burst == 23; };
  {
    Host host(bench, Host::gives_all_back());
    bench.source[0] = Traffic(bench, 15000).to_rings(2);
    bench.run(15500);
    bench.source = {};
  }
  // The head is where the burst began, for good; the ring fills, then drops; its neighbour does not notice.
  CHECK_EQUAL(bench.memory(1).first_refused_slot(), bench.head(1));
  CHECK_EQUAL(bench.head(1), bench.read_counter(RING_REGISTER(1, head)));
  CHECK_EQUAL(kWriteFailed | kFull, bench.read(RING_REGISTER(1, status)));
  CHECK(bench.reference(1).counters().dropped_packets > 5000);
  CHECK_EQUAL(0, bench.reference(0).counters().dropped_packets);
  CHECK_EQUAL(0, bench.read(RING_REGISTER(0, status)));
  bench.finish();
  CHECK_EQUAL(bench.memory(1).first_refused_slot(), bench.head(1));
  // Nothing of it is left after a start.
  bench.memory(1).behaviour.refuses = {};
  bench.start();
  CHECK_EQUAL(0, bench.read(RING_REGISTER(1, status)));
  send(bench, 0, packets(100, 1));
  CHECK_EQUAL(101, bench.head(1));
  bench.finish();
}

// ---- Credit ----

TEST(credit_that_makes_no_sense_is_ignored) {
  Bench bench(seeded());
  bench.configure();
  bench.start();
  send(bench, 0, packets(99));
  give_back_to(bench, 0, 50);
  CHECK_EQUAL(50, bench.read(RING_REGISTER(0, credit)));
  for (const uint32_t credit : {49u, 0u, 101u, 1000u, UINT32_MAX, 50u, 0x80000032u}) {
    give_back_to(bench, 0, credit);
    CHECK_EQUAL(50, bench.read(RING_REGISTER(0, credit)));
    CHECK_EQUAL(50, bench.released(0));
  }
  give_back_to(bench, 0, 100);
  CHECK_EQUAL(100, bench.read(RING_REGISTER(0, credit)));
  send(bench, 0, packets(2000));
  CHECK_EQUAL(100 + kSlots - kReserved, bench.head(0));
  bench.finish();
}

TEST(slots_may_not_be_given_back_before_they_were_shown) {
  Setup setup = seeded();
  setup.memory = latency(3000, 3000);
  Bench bench(setup);
  bench.configure();
  bench.start();
  bench.source[0] = list(packets(100));
  bench.run(1000);
  CHECK_EQUAL(0, bench.head(0));
  give_back_to(bench, 0, 64);
  CHECK_EQUAL(0, bench.read(RING_REGISTER(0, credit)));
  bench.drain();
  give_back_to(bench, 0, 64);
  CHECK_EQUAL(64, bench.read(RING_REGISTER(0, credit)));
  bench.finish();
}

// ---- Start and stop ----

TEST(stop_writes_all_that_came_before) {
  Setup setup = seeded();
  setup.memory = latency(500, 1500);
  setup.memory.data_stall_percent = 70;
  setup.flush_cycles = 1000000;
  Bench bench(setup);
  bench.configure();
  bench.start();
  bench.source[0] = Traffic(bench, 1500);
  bench.source[1] = Traffic(bench, 1500).percent(90).ticks(5);
  bench.run(900);
  bench.finish();
  uint64_t packets = 0;
  for (uint32_t ring = 0; ring < kRings; ring++) {
    packets += bench.reader(ring).packets();
  }
  CHECK(packets > 1000);
}

TEST(stop_while_full_tells_the_last_losses) {
  Bench bench(seeded());
  bench.configure();
  bench.start();
  bench.source[0] = Traffic(bench, 30000);
  bench.run(15000);
  bench.finish();
  for (uint32_t ring = 0; ring < kRings; ring++) {
    CHECK_EQUAL(kSlots - kReserved + 2, bench.head(ring));
    CHECK(bench.reader(ring).lost() > 500);
    CHECK_EQUAL(bench.reader(ring).packets() + bench.reader(ring).lost(), time_at(bench, ring, bench.head(ring) - 1).offered_packets);
  }
}

TEST(stop_without_a_packet_or_a_tick_writes_nothing) {
  Bench bench(seeded());
  bench.configure();
  bench.start();
  bench.run(1000);
  bench.finish();
  for (uint32_t ring = 0; ring < kRings; ring++) {
    CHECK_EQUAL(0, bench.memory(ring).bursts());
  }
}

TEST(packets_that_come_after_stop_are_discarded_and_counted) {
  Bench bench(seeded());
  bench.configure();
  bench.start();
  bench.source[0] = Traffic(bench, 500).ticks(20);
  bench.source[1] = Traffic(bench, 5000).percent(90).ticks(20);
  bench.run(300);
  bench.stop();
  bench.run(600);
  CHECK(bench.discarded() > 300);
  bench.wait_done();
  bench.run(1000);
  bench.source = {};
  bench.run(10);
  CHECK_EQUAL(0, bench.stalls(0) + bench.stalls(1));
  bench.check_end();
}

TEST(restart_begins_anew) {
  Setup setup = seeded();
  setup.memory = latency(0, 200);
  Bench bench(setup);
  bench.configure();
  for (int round = 0; round < 4; round++) {
    bench.start();
    for (uint32_t ring = 0; ring < kRings; ring++) {
      bench.check_counters(ring);
      CHECK_EQUAL(0, bench.head(ring));
    }
    Host host(bench, [&](uint32_t ring, uint64_t head, uint64_t credit) { return ring < 4 ? head : credit; });
    bench.source[0] = Traffic(bench, 9000).percent(90).ticks(1);
    bench.source[1] = Traffic(bench, 9000).percent(50).ticks(1);
    bench.run(bench.random().between(1, 16000));
    bench.finish();
  }
}

TEST(stop_right_after_start_ends) {
  Bench bench(seeded());
  bench.configure();
  for (int round = 0; round < 3; round++) {
    bench.start();
    bench.stop();
    bench.wait_done();
    bench.check_end();
  }
  // A stop of what does not run is nothing: the next start runs.
  bench.stop();
  bench.start();
  bench.run(100);
  send(bench, 0, packets(10));
  CHECK_EQUAL(11, bench.head(0));
  bench.finish();
}

// ---- Everything at once ----

/** A setup, traffic and host drawn from the seed. */
void any_traffic(uint64_t number, uint64_t least_packets) {
  Random draw(number);
  Setup setup;
  setup.seed = number;
  setup.ring_count = static_cast<uint32_t>(draw.between(1, kRings));
  setup.flush_cycles = static_cast<uint32_t>(draw.below(draw.chance(50) ? 20 : 600));
  setup.slots_log2 = static_cast<uint32_t>(draw.between(10, 11));
  setup.memory = latency(0, draw.below(draw.chance(30) ? 2000 : 200));
  setup.memory.address_stall_percent = draw.chance(50) ? 0 : static_cast<unsigned>(draw.below(95));
  setup.memory.data_stall_percent = draw.chance(50) ? 0 : static_cast<unsigned>(draw.below(60));
  setup.memory.answers_in_order = draw.chance(20);
  Bench bench(setup);
  bench.configure();
  bench.start();

  // How much of what is there the host gives back, and how often: drawn anew again and again.
  unsigned give_percent = 100;
  uint64_t most_given = UINT64_MAX;
  Host host(bench, [&](uint32_t, uint64_t head, uint64_t credit) {
    if (!bench.random().chance(give_percent)) {
      return credit;
    }
    const uint64_t given = bench.random().below(head - credit + 1);
    return credit + (most_given == UINT64_MAX ? head - credit : given < most_given ? given : most_given);
  });
  host.mischief_percent = static_cast<unsigned>(draw.below(15));

  std::array<Traffic, 2> traffic{Traffic(bench, UINT64_MAX), Traffic(bench, UINT64_MAX)};
  std::array<unsigned, 2> only_percent{};
  std::array<uint32_t, 2> only_ring{};
  for (uint32_t port = 0; port < 2; port++) {
    bench.source[port] = [&, port](Beat& beat) {
      const bool is_sent = traffic[port](beat);
      if (is_sent && bench.random().chance(only_percent[port])) {
        beat.ring = only_ring[port];
      }
      return is_sent;
    };
  }
  while (bench.sent(0) + bench.sent(1) < least_packets) {
    static const uint64_t gaps_ns[] = {1, 100, 1'000'000, 400'000'000, 2'000'000'000};
    give_percent = static_cast<unsigned>(draw.chance(40) ? 100 : draw.below(30));
    most_given = draw.chance(40) ? UINT64_MAX : draw.between(1, 40);
    if (draw.chance(80)) {
      traffic[0].time_ns = traffic[1].time_ns = std::max(traffic[0].time_ns, traffic[1].time_ns);
    }
    for (uint32_t port = 0; port < 2; port++) {
      Traffic& flow = traffic[port];
      flow.percent_ = static_cast<unsigned>(draw.chance(30) ? 100 : draw.below(100));
      flow.tick_percent = static_cast<unsigned>(draw.chance(70) ? draw.below(3) : draw.below(60));
      flow.gap_ns = gaps_ns[draw.below(draw.chance(90) ? 3 : 5)];
      flow.rings = draw.chance(80) ? setup.ring_count : kRings;
      if (draw.chance(20)) {
        flow.time_ns += draw.between(0, 4 * kSecondNs) - 2 * kSecondNs;
      }
      only_percent[port] = static_cast<unsigned>(draw.chance(50) ? 0 : draw.below(101));
      only_ring[port] = static_cast<uint32_t>(draw.below(setup.ring_count));
    }
    bench.run(draw.between(200, 6000));
  }
  bench.source = {};
  host.rest();
  host.check_credits();
  if (draw.chance(50)) {
    bench.drain(2000000);
  }
  bench.finish();
  uint64_t lost = 0, told = 0, times = 0;
  for (uint32_t ring = 0; ring < kRings; ring++) {
    lost += bench.reader(ring).lost();
    told += bench.reference(ring).loss_records();
    times += bench.reference(ring).time_records();
  }
  std::printf("  seed %llu: %llu records, %llu cycles, %llu lost in %llu LOSS, %llu TIME, %llu overtaken answers\n",
              static_cast<unsigned long long>(number), static_cast<unsigned long long>(bench.taken(0) + bench.taken(1)),
              static_cast<unsigned long long>(bench.cycle()), static_cast<unsigned long long>(lost),
              static_cast<unsigned long long>(told), static_cast<unsigned long long>(times),
              static_cast<unsigned long long>(bench.memory(0).overtaken()));
}

TEST(any_traffic_makes_the_slots_of_the_reference) {
  for (uint64_t i = 0; i < 10; i++) {
    any_traffic(seed * 1000 + i, 200'000);
  }
}

// ---- Line rate ----

/** A million records at one in each cycle, both ports together. */
void line_rate(const char* what, uint32_t rings, const MemoryBehaviour& memory,
               const std::array<std::function<bool(uint64_t)>, 2>& turn) {
  constexpr uint64_t kRecords = 1'000'000;
  Setup setup = seeded();
  setup.slots_log2 = 14;
  setup.memory = memory;
  Bench bench(setup);
  bench.configure();
  bench.start();
  Host host(bench, Host::gives_all_back());
  uint64_t left = kRecords;
  uint64_t time_ns = kTimeNs;
  const uint64_t began = bench.cycle();
  for (uint32_t port = 0; port < 2; port++) {
    bench.source[port] = [&, port](Beat& beat) {
      if (left == 0 || !turn[port](bench.cycle() - began)) {
        return false;
      }
      left--;
      time_ns += 3;
      beat = packet(time_ns, static_cast<uint32_t>(bench.random().below(rings)));
      return true;
    };
  }
  bench.run_until([&] { return left == 0; }, 2 * kRecords);
  const uint64_t offered_cycles = bench.cycle() - began;
  const uint64_t stalls = bench.stalls(0) + bench.stalls(1);
  bench.drain();
  uint64_t dropped = 0;
  for (uint32_t ring = 0; ring < kRings; ring++) {
    dropped += bench.reference(ring).counters().dropped_packets;
  }
  const double per_cycle = static_cast<double>(kRecords) / static_cast<double>(offered_cycles);
  std::printf("both ports, %s, %u ring%s: %6.4f records/cycle, %5.1f Mpps at 300 MHz; %llu stalls\n", what, rings, rings == 1 ? "" : "s",
              per_cycle, 300 * per_cycle, static_cast<unsigned long long>(stalls));
  CHECK_EQUAL(0, stalls);
  CHECK_EQUAL(0, dropped);
  bench.finish();
}

const std::array<std::function<bool(uint64_t)>, 2> kInTurn = {[](uint64_t cycle) { return cycle % 2 == 0; },
                                                              [](uint64_t cycle) { return cycle % 2 == 1; }};
/** Both at once for 200 cycles, then neither for as long. */
const std::array<std::function<bool(uint64_t)>, 2> kInBursts = {[](uint64_t cycle) { return cycle % 400 < 200; },
                                                                [](uint64_t cycle) { return cycle % 400 < 200; }};
const std::array<std::function<bool(uint64_t)>, 2> kOnePort = {[](uint64_t) { return true; }, [](uint64_t) { return false; }};

TEST(line_rate_of_both_ports_8_rings) { line_rate("in turn", 8, latency(150, 200), kInTurn); }
TEST(line_rate_sweep_in_turn_1_ring) { line_rate("in turn", 1, latency(150, 200), kInTurn); }
TEST(line_rate_sweep_in_bursts_8_rings) { line_rate("in bursts of 200", 8, latency(150, 200), kInBursts); }
TEST(line_rate_of_bursts_1_ring) { line_rate("in bursts of 200", 1, latency(150, 200), kInBursts); }
TEST(line_rate_sweep_one_port_1_ring) { line_rate("one of them alone", 1, latency(0, 0), kOnePort); }
/** Eight ports have 128 bursts under way, which is as much again as the memory takes to answer. */
TEST(line_rate_sweep_slow_answers_8_rings) { line_rate("in turn, memory that takes 1000 to 1500 cycles", 8, latency(1000, 1500), kInTurn); }

}  // namespace
}  // namespace flowstone::sim

int main(int argc, char** argv) { return flowstone::sim::run_tests(argc, argv); }
