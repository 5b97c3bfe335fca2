// SPDX-License-Identifier: Apache-2.0
// What ht_tap promises.
#include "tap_expected.hpp"

namespace flowstone::sim {
namespace {

using test::Mutator;
using test::odd_frames;
using test::Random;

TEST(records_are_the_models) {
  Random random(seed);
  Mutator mutator(seed, odd_frames());
  uint64_t compared = 0;
  for (uint32_t port = 0; port < 2; port++) {
    Tap tap(random, port);
    std::vector<Expected> expected;
    for (uint64_t i = 0; i < frames_per_port; i++) {
      const std::vector<uint8_t> frame = some_frame(mutator, random);
      expected.push_back(expect(tap, frame.data(), static_cast<uint32_t>(frame.size()), port));
      tap.pause(random.below(2) == 0 ? 0 : kPausePercent);
      expected.back().first_cycle = tap.send(frame.data(), static_cast<uint32_t>(frame.size()));
      if (random.below(3) == 0) tap.idle(random.below(4));
    }
    tap.idle(1000);
    check_all(tap, expected);
    CHECK_EQUAL(frames_per_port, tap.counter(TAP(received_packets)));
    CHECK_EQUAL(frames_per_port, tap.counter(TAP(sent_packets)));
    CHECK_EQUAL(0, tap.counter(TAP(overflowed_packets)));
    CHECK_EQUAL(0, tap.refused_beats);
    compared += expected.size();
  }
  std::printf("%" PRIu64 " mutated frames, one in eight random, half of them with pauses inside: records as the model's\n", compared);
}

TEST(key_groups_are_the_models_at_every_parallelism) {
  constexpr uint32_t kFlows = 400;
  Random random(seed);
  Tap tap(random);
  uint64_t compared = 0;
  // From the most on down, so that the table has other rings behind its end: a group that is too high is seen.
  for (uint32_t max_parallelism = FS_RING_FILE_HEADER_MAX_KEY_GROUPS; max_parallelism > 0; max_parallelism /= 2) {
    tap.stop();
    CHECK(tap.await_done(1'000));
    tap.set_key_groups(random, max_parallelism);
    tap.start();
    tap.idle(20);
    tap.sent.clear();
    std::vector<Expected> expected;
    for (uint32_t i = 0; i < kFlows; i++) {
      const Frame frame = udp_frame_of_some_flow(60, random);
      expected.push_back(expect(tap, frame.data(), 60, 0));
      expected.back().first_cycle = tap.send(frame.data(), 60);
    }
    tap.idle(200);
    check_all(tap, expected);
    compared += expected.size();
  }
  std::printf("%" PRIu64 " flows at max parallelism 32768, 16384 and so on to 1: rings as by the model's key groups\n", compared);
}

// ---- Line rate ----

struct Rate {
  uint64_t packets;
  uint64_t cycles;
};

/** Frames without a pause between, which is more than any wire brings; what goes out has to have gone in. The same tuple again and
 *  again is as hard as any: nothing of the way in depends on what is in a frame. */
Rate send_without_pause(const std::vector<uint32_t>& sizes, uint64_t packets) {
  Random random(seed);
  Tap tap(random);
  std::vector<std::vector<uint8_t>> sent;
  for (const uint32_t size : sizes) sent.push_back(udp_frame(size));
  const uint64_t first = tap.cycle;
  for (uint64_t i = 0; i < packets; i++) {
    const std::vector<uint8_t>& frame = sent[i % sent.size()];
    tap.send(frame.data(), static_cast<uint32_t>(frame.size()));
  }
  const uint64_t cycles = tap.cycle - first;
  tap.idle(200);
  uint64_t records = 0;
  for (const Sent& each : tap.sent) records += each.tick ? 0 : 1;
  CHECK_EQUAL(packets, records);
  CHECK_EQUAL(0, tap.refused_beats);
  CHECK_EQUAL(0, tap.counter(TAP(overflowed_packets)));
  CHECK_EQUAL(packets, tap.counter(TAP(sent_packets)));
  return {packets, cycles};
}

constexpr double kCyclesPerSecond = 300e6;
constexpr double kBitsPerSecond = 100e9;
constexpr double kWireBytesBesideFrame = 24;  // preamble, FCS, and the gap to the next frame

void report(const char* name, const Rate& rate, double mean_bytes) {
  const double per_cycle = static_cast<double>(rate.packets) / static_cast<double>(rate.cycles);
  const double wire = kBitsPerSecond / 8 / (mean_bytes + kWireBytesBesideFrame);
  std::printf("a port, frames of %4s bytes: %6.4f records/cycle, %5.1f Mpps at 300 MHz; 100 Gb/s brings %5.1f\n", name, per_cycle,
              per_cycle * kCyclesPerSecond / 1e6, wire / 1e6);
  CHECK(per_cycle * kCyclesPerSecond >= wire);
}

void line_rate(const char* name, const std::vector<uint32_t>& sizes, uint64_t packets) {
  double mean_bytes = 0;
  for (const uint32_t size : sizes) mean_bytes += size / static_cast<double>(sizes.size());
  report(name, send_without_pause(sizes, packets), mean_bytes);
}

// As the MAC hands frames on, without their FCS: 60 is the smallest, 65 and 69 need a beat that is nearly empty.
TEST(line_rate_of_60) { line_rate("60", {60}, frames_per_port); }
TEST(line_rate_of_64) { line_rate("64", {64}, frames_per_port); }
TEST(line_rate_of_65) { line_rate("65", {65}, frames_per_port); }
TEST(line_rate_of_69) { line_rate("69", {69}, frames_per_port); }
TEST(line_rate_of_128) { line_rate("128", {128}, frames_per_port); }
TEST(line_rate_of_1518) { line_rate("1518", {1518}, frames_per_port / 10); }
TEST(line_rate_sweep_9000) { line_rate("9000", {9000}, frames_per_port / 10); }
TEST(line_rate_sweep_imix) { line_rate("IMIX", {64, 64, 64, 64, 64, 64, 64, 570, 570, 570, 570, 1518}, frames_per_port); }

// ---- Nothing is lost in silence ----

TEST(what_finds_no_room_is_dropped_and_counted) {
  Random random(seed);
  Tap tap(random);
  const std::vector<uint8_t> frame = udp_frame(64);
  tap.takes_records = false;
  for (int i = 0; i < 2'000; i++) tap.send(frame.data(), 64);
  tap.idle(200);
  CHECK_EQUAL(0, tap.refused_beats);
  const uint64_t overflowed = tap.counter(TAP(overflowed_packets));
  CHECK(overflowed > 1'000);
  CHECK(overflowed < 2'000);
  tap.takes_records = true;
  tap.idle(2'000);
  CHECK_EQUAL(2'000 - overflowed, tap.sent.size());
  for (int i = 0; i < 100; i++) tap.send(frame.data(), 64);
  tap.idle(200);
  CHECK_EQUAL(2'100 - overflowed, tap.sent.size());
  CHECK_EQUAL(overflowed, tap.counter(TAP(overflowed_packets)));
  CHECK_EQUAL(2'100, tap.counter(TAP(received_packets)));
  CHECK_EQUAL(2'100 * 64, tap.counter(TAP(received_bytes)));
}

TEST(damaged_frames_are_counted_apart) {
  Random random(seed);
  Tap tap(random);
  const std::vector<uint8_t> frame = udp_frame(200);
  for (int i = 0; i < 100; i++) tap.send(frame.data(), 200, i % 4 == 0);
  tap.idle(200);
  CHECK_EQUAL(75, tap.sent.size());
  CHECK_EQUAL(25, tap.counter(TAP(bad_packets)));
  CHECK_EQUAL(75, tap.counter(TAP(received_packets)));
}

// ---- Time ----

TEST(ticks_never_tell_a_time_that_a_later_packet_falls_short_of) {
  Random random(seed);
  Tap tap(random, 0, 40);
  tap.pause(kPausePercent);
  uint64_t ticks = 0;
  for (int i = 0; i < 5'000; i++) {
    const std::vector<uint8_t> frame = udp_frame(64 + random.below(900));
    tap.send(frame.data(), static_cast<uint32_t>(frame.size()));
    tap.idle(random.below(30));
  }
  tap.idle(500);
  uint64_t latest_ns = 0;
  for (const Sent& each : tap.sent) {
    CHECK(each.time_ns() >= latest_ns);
    latest_ns = each.time_ns();
    ticks += each.tick ? 1 : 0;
  }
  CHECK(ticks > 1'000);
  CHECK(latest_ns > kStartNs + 5'000 * 20 * kNsPerCycle);
}

TEST(the_clock_keeps_fractions_and_carries_into_its_high_word) {
  Random random(seed);
  Tap tap(random);
  constexpr uint32_t kIncrement = 0x35555555;  // 300 MHz
  tap.write(TAP(time_increment), kIncrement);
  tap.write(TAP(time_set_high), 7);
  tap.write(TAP(time_set_low), 0xFFFFFF00);
  const std::vector<uint8_t> frame = udp_frame(64);
  tap.idle(20);
  std::vector<uint64_t> cycles;
  for (int i = 0; i < 1'000; i++) {
    cycles.push_back(tap.send(frame.data(), 64));
    tap.idle(random.below(300));
  }
  tap.idle(200);
  CHECK_EQUAL(1'000, tap.sent.size());
  for (size_t i = 1; i < tap.sent.size(); i++) {
    const double passed_ns = static_cast<double>(cycles[i] - cycles[0]) * kIncrement / (1u << 28);
    const double told_ns = static_cast<double>(tap.sent[i].time_ns() - tap.sent[0].time_ns());
    CHECK(told_ns > passed_ns - 1.01 && told_ns < passed_ns + 1.01);
  }
  CHECK_EQUAL(8, tap.sent.back().time_high);
  const uint64_t now_ns = tap.counter(TAP(time_ns));
  CHECK(now_ns > tap.sent.back().time_ns() && now_ns < tap.sent.back().time_ns() + 10'000);
}

TEST(a_counters_high_word_is_that_of_its_low_word) {
  TapBench tap;
  tap.write(TAP(time_increment), 4u << FS_CARD_TAP_REGISTERS_TIME_FRACTION_BITS);
  for (uint32_t before = 0; before < 64; before++) {  // so that the carry comes at every place between the two reads
    tap.write(TAP(time_set_high), 7);
    tap.write(TAP(time_set_low), 0xFFFFFFFF - 4 * before);
    tap.idle(8 + before % 7);
    const uint64_t first_ns = tap.counter(TAP(time_ns)), second_ns = tap.counter(TAP(time_ns));
    CHECK(first_ns < second_ns && second_ns - first_ns < 200);
    CHECK(first_ns > (uint64_t{8} << 32) - 400 && second_ns < (uint64_t{8} << 32) + 400);
  }
}

TEST(registers_say_what_they_are) {
  TapBench tap;
  CHECK_EQUAL(FS_CARD_TAP_REGISTERS_MAGIC, tap.read(TAP(magic)));
  CHECK_EQUAL(FS_CARD_TAP_REGISTERS_VERSION, tap.read(TAP(version)));
  CHECK_EQUAL(1u << FS_CARD_TAP_REGISTERS_IDLE_SHIFT, tap.read(TAP(control)));
  tap.write(TAP(max_parallelism), 4096);
  CHECK_EQUAL(4096, tap.read(TAP(max_parallelism)));
  tap.write(TAP(tick_cycles), 0x12345678);
  CHECK_EQUAL(0x12345678, tap.read(TAP(tick_cycles)));
  CHECK_EQUAL(0, tap.read(TAP(rules)));
}

}  // namespace
}  // namespace flowstone::sim

int main(int argc, char** argv) { return flowstone::sim::run_tests(argc, argv); }
