// SPDX-License-Identifier: Apache-2.0
// A record in each cycle.
#include "ring_cases.hpp"

namespace flowstone::sim {
namespace {

/** A record in each cycle, both ports together. */
void line_rate(const char* what, uint32_t rings, const MemoryBehaviour& memory,
               const std::array<std::function<bool(uint64_t)>, 2>& turn) {
  const uint64_t records = frames_per_port;
  Setup setup = seeded();
  setup.slots_log2 = 14;
  setup.memory = memory;
  Bench bench(setup);
  bench.configure();
  bench.start();
  Host host(bench, Host::gives_all_back());
  uint64_t left = records;
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
  bench.run_until([&] { return left == 0; }, 2 * records);
  const uint64_t offered_cycles = bench.cycle() - began;
  const uint64_t stalls = bench.stalls(0) + bench.stalls(1);
  bench.drain();
  uint64_t dropped = 0;
  for (uint32_t ring = 0; ring < kRings; ring++) {
    dropped += bench.reference(ring).counters().dropped_packets;
  }
  const double per_cycle = static_cast<double>(records) / static_cast<double>(offered_cycles);
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
