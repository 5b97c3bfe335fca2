// SPDX-License-Identifier: Apache-2.0
// What stands in the rings and in which order: packets, losses, times.
#include "ring_cases.hpp"

namespace flowstone::sim {
namespace {

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
  // After a start, port 1 does not count until it sends, although its latest time was earlier.
  bench.start();
  send(bench, 0, {tick(kTimeNs + 30 * kSecondNs)});
  CHECK_EQUAL(1, bench.head(2));
  CHECK_EQUAL(kTimeNs + 30 * kSecondNs, time_at(bench, 2, 0).time_ns);
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

}  // namespace
}  // namespace flowstone::sim
