// SPDX-License-Identifier: Apache-2.0
// ht_ring, cycle by cycle: from start to stop, and everything at once.
#include "ring_cases.hpp"

namespace flowstone::sim {
namespace {

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

TEST(packets_on_their_way_at_stop_are_written) {
  Bench bench(seeded());
  bench.configure();
  bench.start();
  send(bench, 0, packets(10));
  bench.stop();
  for (uint32_t port = 0; port < 2; port++) {
    bench.source[port] = list(packets(100, port));
  }
  bench.run(300);
  bench.source = {};
  bench.wait_done();
  CHECK_EQUAL(0, bench.discarded());
  bench.check_end();
  CHECK_EQUAL(110, bench.reader(0).packets());
  CHECK_EQUAL(100, bench.reader(1).packets());
}

TEST(packets_that_come_after_stop_are_discarded_and_counted) {
  Bench bench(seeded());
  bench.configure();
  bench.start();
  bench.source[0] = Traffic(bench, 500).ticks(20);
  bench.source[1] = Traffic(bench, 5000).percent(90).ticks(20);
  bench.run(300);
  bench.stop();
  bench.run(1000);
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
  setup.memory.order = static_cast<HandshakeOrder>(draw.below(4));
  setup.memory.ready_after_valid = draw.chance(30);
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

}  // namespace
}  // namespace flowstone::sim

int main(int argc, char** argv) { return flowstone::sim::run_tests(argc, argv); }
