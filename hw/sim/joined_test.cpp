// SPDX-License-Identifier: Apache-2.0
// What the kernels promise together: from frames on both ports to slots in memory.
#include <cinttypes>

#include "joined_bench.hpp"

namespace flowstone::sim {
namespace {

TEST(every_frame_has_a_slot_or_is_counted_where_it_was_dropped) {
  constexpr uint64_t kOfEachPort = 20'000;
  test::Random random(seed);
  test::Mutator mutator(seed, test::odd_frames());
  JoinedSetup setup;
  setup.ring_count = 3;
  setup.slots_log2 = 10;
  setup.memory = latency(50, 400);
  setup.memory.data_stall_percent = 95;
  JoinedBench bench(setup);
  for (uint32_t port = 0; port < JoinedBench::kPorts; port++) {
    bench.source[port] = [&, port](Frame& frame) {
      if (bench.sent(port) == kOfEachPort) return false;
      frame = some_frame(mutator, random);
      return true;
    };
  }
  // Now and then the host reads nothing for a while, and the rings are full.
  while (bench.sent(0) + bench.sent(1) < 2 * kOfEachPort) {
    bench.give_back();
    bench.run(random.below(40) == 0 ? 30'000 : random.below(200));
  }
  bench.run(5'000);
  bench.stop();
  bench.check_accounts();
  uint64_t lost = 0;
  for (uint32_t ring = 0; ring < setup.ring_count; ring++) lost += bench.check(ring).lost();
  const uint64_t overflowed = 2 * kOfEachPort - lost - bench.read_packets();
  std::printf("both ports, %" PRIu64 " mutated frames: %" PRIu64 " records as the model's, %" PRIu64 " dropped by rings, %" PRIu64
              " by taps, all counted\n",
              2 * kOfEachPort, bench.read_packets(), lost, overflowed);
  CHECK(lost > 1'000);
  CHECK(overflowed > 1'000);
}

// ---- Line rate ----

/** 64 bytes, their preamble and the gap behind them are 84 bytes of 100 Gb/s: 148.81 M frames/s, 125 in 252 cycles of 300 MHz. */
constexpr uint64_t kFrames = 125, kOfCycles = 252;
constexpr uint32_t kFrameBytes = 60;  // without the FCS, which a MAC keeps

/** Both ports begin with a frame in the same cycle and go on at that rate; the host reads meanwhile. Returns how many cycles it took. */
uint64_t send_at_line_rate(JoinedBench& bench, uint64_t of_each_port) {
  test::Random random(seed);
  std::vector<Frame> frames;
  for (int i = 0; i < 4096; i++) frames.push_back(udp_frame_of_some_flow(kFrameBytes, random));
  std::array<uint64_t, JoinedBench::kPorts> due{};
  for (uint32_t port = 0; port < JoinedBench::kPorts; port++) {
    due[port] = kOfCycles - kFrames;
    bench.source[port] = [&, port](Frame& frame) {
      due[port] += kFrames;
      if (due[port] < kOfCycles || bench.sent(port) == of_each_port) return false;
      due[port] -= kOfCycles;
      frame = frames[random.below(static_cast<uint32_t>(frames.size()))];
      return true;
    };
  }
  const uint64_t began = bench.cycle();
  const uint64_t cycles = (of_each_port - 1) * kOfCycles / kFrames + 1;
  while (bench.cycle() < began + cycles) bench.give_back();
  bench.source = {};
  CHECK_EQUAL(of_each_port, bench.sent(0));
  CHECK_EQUAL(of_each_port, bench.sent(1));
  bench.run(5'000);
  bench.stop();
  bench.check_accounts();
  return cycles;
}

void line_rate(const char* what, uint32_t ring_count, const MemoryBehaviour& memory, uint64_t of_each_port) {
  JoinedSetup setup;
  setup.ring_count = ring_count;
  setup.memory = memory;
  JoinedBench bench(setup);
  const uint64_t cycles = send_at_line_rate(bench, of_each_port);
  CHECK_EQUAL(2 * of_each_port, bench.read_packets());
  const double per_cycle = 2 * static_cast<double>(of_each_port) / static_cast<double>(cycles);
  std::printf("two taps and %u ring%s, 64-byte frames on both ports, %s: %6.4f records/cycle, %5.1f Mpps at 300 MHz; none dropped, "
              "%" PRIu64 " cycles in which a record waited\n",
              ring_count, ring_count == 1 ? "" : "s", what, per_cycle, 300 * per_cycle, bench.waits(0) + bench.waits(1));
}

/** So many of a hundred cycles give 14.4 of 19.2 GB/s, which is what a channel of the memory has. */
MemoryBehaviour channel() {
  MemoryBehaviour behaviour = latency(150, 200);
  behaviour.data_stall_percent = 25;
  return behaviour;
}

TEST(one_channel_of_memory_is_too_slow_for_both_ports_and_the_taps_count_it) {
  constexpr uint64_t kOfEachPort = 100'000;
  JoinedSetup setup;
  setup.ring_count = 1;
  setup.memory = channel();
  JoinedBench bench(setup);
  const uint64_t cycles = send_at_line_rate(bench, kOfEachPort);
  const double per_cycle = static_cast<double>(bench.read_packets()) / static_cast<double>(cycles);
  std::printf("two taps and 1 ring, 64-byte frames on both ports, a memory channel for it: %6.4f records/cycle, %5.1f Mpps at 300 MHz; "
              "%" PRIu64 " of %" PRIu64 " dropped by the taps\n",
              per_cycle, 300 * per_cycle, 2 * kOfEachPort - bench.read_packets(), 2 * kOfEachPort);
  CHECK_EQUAL(0, bench.check(0).lost());
  CHECK(bench.waits(0) > 10'000 && bench.waits(1) > 10'000);
  CHECK(per_cycle > 0.7 && per_cycle < 0.8);
}

TEST(line_rate_of_two_taps_and_2_rings) { line_rate("a memory channel for each ring", 2, channel(), 1'000'000); }
TEST(line_rate_of_two_taps_and_8_rings) { line_rate("memory that is always ready", 8, latency(150, 200), 1'000'000); }
TEST(line_rate_sweep_two_taps_and_1_ring) { line_rate("memory that is always ready", 1, latency(150, 200), 1'000'000); }
TEST(line_rate_sweep_two_taps_and_8_rings) {
  line_rate("memory that takes 1000 to 1500 cycles", 8, latency(1000, 1500), 1'000'000);
}

}  // namespace
}  // namespace flowstone::sim

int main(int argc, char** argv) { return flowstone::sim::run_tests(argc, argv); }
