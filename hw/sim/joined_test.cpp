// SPDX-License-Identifier: Apache-2.0
// What the kernels promise together: from frames on both ports to slots in memory.
#include <algorithm>
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
  bench.pause(kPausePercent);
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

/** The taps are done when their own queues are empty. The FIFOs after them are full then, because the memory is slow. */
TEST(stop_under_backpressure_writes_the_records_between_taps_and_rings) {
  test::Random random(seed);
  JoinedSetup setup;
  setup.ring_count = 2;
  setup.memory = latency(50, 400);
  setup.memory.data_stall_percent = 97;
  JoinedBench bench(setup);
  for (uint32_t port = 0; port < JoinedBench::kPorts; port++) {
    bench.source[port] = [&](Frame& frame) {
      frame = udp_frame_of_some_flow(60, random);
      return true;
    };
  }
  bench.run(8'000);
  bench.source = {};
  bench.run(10);
  bench.stop_taps();
  CHECK(bench.records_between(0) + bench.records_between(1) > 40);
  bench.stop_rings();
  bench.check_accounts();
}

// ---- Line rate ----

/** In thirds of a byte of 100 Gb/s: what a cycle of 300 MHz carries. A frame takes 24 bytes more than the MAC hands on: preamble, FCS,
 *  and the gap behind it. So 125 frames of 60 bytes come in 252 cycles, 148.81 M/s. */
constexpr uint64_t kThirdsOfCycle = 125;

constexpr uint64_t thirds_of(size_t frame_bytes) { return 3 * (frame_bytes + 24); }

/** Without the FCS, which a MAC keeps. */
const std::vector<uint32_t> kSmallest = {60};
const std::vector<uint32_t> kImix = {64, 64, 64, 64, 64, 64, 64, 570, 570, 570, 570, 1518};

/** As many frames of each size, of any flow, in any order. */
std::vector<Frame> frames_of(const std::vector<uint32_t>& sizes, test::Random& random) {
  std::vector<Frame> some;
  while (some.size() < 4096) {
    for (const uint32_t size : sizes) some.push_back(udp_frame_of_some_flow(size, random));
  }
  return some;
}

/** Both ports begin with a frame in the same cycle and go on as fast as a wire; the host reads meanwhile. Returns the cycles until the
 *  last frame begins. */
uint64_t send_at_line_rate(JoinedBench& bench, const std::vector<uint32_t>& sizes, uint64_t of_each_port) {
  test::Random random(seed);
  const std::vector<Frame> of_sizes = frames_of(sizes, random);
  const uint64_t began = bench.cycle();
  std::array<uint64_t, JoinedBench::kPorts> thirds{}, latest{};
  for (uint32_t port = 0; port < JoinedBench::kPorts; port++) {
    bench.source[port] = [&, port](Frame& frame) {
      if (thirds[port] > (bench.cycle() - began) * kThirdsOfCycle || bench.sent(port) == of_each_port) return false;
      frame = of_sizes[random.below(static_cast<uint32_t>(of_sizes.size()))];
      thirds[port] += thirds_of(frame.size());
      latest[port] = bench.cycle() - began;
      return true;
    };
  }
  while (bench.sent(0) < of_each_port || bench.sent(1) < of_each_port) bench.give_back();
  bench.source = {};
  bench.run(5'000);
  bench.stop();
  bench.check_accounts();
  // No port fell behind its wire: the last frame began before the wire was free again.
  for (uint32_t port = 0; port < JoinedBench::kPorts; port++) CHECK(latest[port] * kThirdsOfCycle < thirds[port]);
  return std::max(latest[0], latest[1]) + 1;
}

void line_rate(const char* sent, const char* memory_is, const std::vector<uint32_t>& sizes, uint32_t ring_count,
               const MemoryBehaviour& memory, uint64_t of_each_port) {
  JoinedSetup setup;
  setup.ring_count = ring_count;
  setup.memory = memory;
  JoinedBench bench(setup);
  const uint64_t cycles = send_at_line_rate(bench, sizes, of_each_port);
  CHECK_EQUAL(2 * of_each_port, bench.read_packets());
  CHECK_EQUAL(0, bench.waits(0));
  CHECK_EQUAL(0, bench.waits(1));
  const double per_cycle = 2 * static_cast<double>(of_each_port) / static_cast<double>(cycles);
  std::printf("two taps and %u ring%s, %s on both ports, %s: %6.4f records/cycle, %5.1f Mpps at 300 MHz; none dropped, none waited\n",
              ring_count, ring_count == 1 ? "" : "s", sent, memory_is, per_cycle, 300 * per_cycle);
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
  const uint64_t cycles = send_at_line_rate(bench, kSmallest, kOfEachPort);
  const double per_cycle = static_cast<double>(bench.read_packets()) / static_cast<double>(cycles);
  std::printf("two taps and 1 ring, 64-byte frames on both ports, a memory channel for it: %6.4f records/cycle, %5.1f Mpps at 300 MHz; "
              "%" PRIu64 " of %" PRIu64 " dropped by the taps\n",
              per_cycle, 300 * per_cycle, 2 * kOfEachPort - bench.read_packets(), 2 * kOfEachPort);
  CHECK_EQUAL(0, bench.check(0).lost());
  CHECK(bench.waits(0) > 10'000 && bench.waits(1) > 10'000);
  CHECK(per_cycle > 0.7 && per_cycle < 0.8);
}

void line_rate_of_smallest(const char* memory_is, uint32_t ring_count, const MemoryBehaviour& memory) {
  line_rate("64-byte frames", memory_is, kSmallest, ring_count, memory, frames_per_port);
}

TEST(line_rate_of_two_taps_and_2_rings) { line_rate_of_smallest("a memory channel for each ring", 2, channel()); }
TEST(line_rate_of_two_taps_and_8_rings) { line_rate_of_smallest("memory that is always ready", 8, latency(150, 200)); }
TEST(line_rate_sweep_two_taps_and_1_ring) { line_rate_of_smallest("memory that is always ready", 1, latency(150, 200)); }
TEST(line_rate_sweep_two_taps_and_8_rings) { line_rate_of_smallest("memory that takes 1000 to 1500 cycles", 8, latency(1000, 1500)); }

/** With the rings and the memory that a card has by default. */
void line_rate_of_frames(const char* sent, const std::vector<uint32_t>& sizes, uint64_t of_each_port) {
  line_rate(sent, "a memory channel for each ring", sizes, 2, channel(), of_each_port);
}

// As the MAC hands them on: 65 and 69 need a beat that is nearly empty. Half as many frames as of the smallest, or a twentieth.
TEST(line_rate_sweep_two_taps_frames_of_64) { line_rate_of_frames("frames of 64 bytes without FCS", {64}, frames_per_port / 2); }
TEST(line_rate_of_two_taps_frames_of_65) { line_rate_of_frames("frames of 65 bytes without FCS", {65}, frames_per_port / 2); }
TEST(line_rate_sweep_two_taps_frames_of_69) { line_rate_of_frames("frames of 69 bytes without FCS", {69}, frames_per_port / 2); }
TEST(line_rate_sweep_two_taps_frames_of_128) { line_rate_of_frames("frames of 128 bytes without FCS", {128}, frames_per_port / 2); }
TEST(line_rate_of_two_taps_frames_of_1518) { line_rate_of_frames("frames of 1518 bytes without FCS", {1518}, frames_per_port / 20); }
TEST(line_rate_sweep_two_taps_frames_of_9000) { line_rate_of_frames("frames of 9000 bytes without FCS", {9000}, frames_per_port / 20); }
TEST(line_rate_sweep_two_taps_imix) { line_rate_of_frames("IMIX", kImix, frames_per_port / 2); }

}  // namespace
}  // namespace flowstone::sim

int main(int argc, char** argv) { return flowstone::sim::run_tests(argc, argv); }
