// SPDX-License-Identifier: Apache-2.0
// ht_ring's ports to the card's memory, which may be slow, or refuse.
#include "ring_cases.hpp"

namespace flowstone::sim {
namespace {

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

/** A subordinate may make the handshakes of a burst wait for each other (AXI4, A3.3.1). If the port makes them wait too, both wait. */
void write_with_handshakes(HandshakeOrder order, const std::function<bool(const RingMemory&)>& is_as_ordered) {
  for (const bool ready_after_valid : {false, true}) {
    for (const unsigned stall_percent : {0u, 50u}) {
      Setup setup = seeded();
      setup.memory = latency(0, 100);
      setup.memory.order = order;
      setup.memory.ready_after_valid = ready_after_valid;
      setup.memory.address_stall_percent = stall_percent;
      setup.memory.data_stall_percent = stall_percent / 2;
      Bench bench(setup);
      bench.configure();
      bench.start();
      Host host(bench, Host::gives_all_back());
      constexpr uint64_t kMaxCycles = 100'000;
      send_all(bench, Traffic(bench, 3000).percent(40).to_rings(2), Traffic(bench, 3000).percent(10).to_rings(2), kMaxCycles);
      CHECK_EQUAL(6000, bench.reader(0).packets() + bench.reader(1).packets());
      CHECK(is_as_ordered(bench.memory(0)));
      bench.finish();
    }
  }
}

TEST(address_waits_for_data) {
  // If both are ready only after valid, the address and the first slot are taken in the same cycle.
  write_with_handshakes(HandshakeOrder::kAddressAfterData,
                        [](const RingMemory& memory) { return memory.early_slots() > 0 || memory.behaviour.ready_after_valid; });
}

TEST(address_waits_for_last_data) {
  write_with_handshakes(HandshakeOrder::kAddressAfterLastData,
                        [](const RingMemory& memory) { return memory.early_slots() == memory.written_slots(); });
}

TEST(data_waits_for_address) {
  write_with_handshakes(HandshakeOrder::kDataAfterAddress, [](const RingMemory& memory) { return memory.early_slots() == 0; });
}

TEST(ready_waits_for_valid) {
  write_with_handshakes(HandshakeOrder::kIndependent, [](const RingMemory& memory) { return memory.written_slots() > 0; });
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

TEST(ring_that_waits_does_not_hold_back_ticks) {
  Setup setup = seeded();
  Bench bench(setup);
  bench.configure();
  bench.start();
  bench.memory(0).behaviour.data_stall_percent = 100;
  Host host(bench, Host::gives_all_back());
  bench.source[0] = list(packets(3000, 0));
  bench.run(3000);
  CHECK(bench.stalls(0) > 500);
  std::vector<Beat> beats;
  for (uint64_t i = 0; i < 1000; i++) {
    beats.push_back(packet(kTimeNs + i, 1));
    beats.push_back(tick(kTimeNs + i));
  }
  bench.source[1] = list(beats);
  bench.run(2500);
  CHECK_EQUAL(1000, bench.reader(1).packets());
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

}  // namespace
}  // namespace flowstone::sim
