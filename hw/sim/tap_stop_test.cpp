// SPDX-License-Identifier: Apache-2.0
// Stops and starts of ht_tap, between frames and amid them.
#include "tap_expected.hpp"

namespace flowstone::sim {
namespace {

using test::Random;

TEST(a_stop_ends_between_frames_and_a_start_begins_anew) {
  Random random(seed);
  Tap tap(random);
  const std::vector<uint8_t> frame = udp_frame(300);
  tap.takes_records = false;
  for (int i = 0; i < 50; i++) tap.send(frame.data(), 300);
  tap.stop();
  tap.idle(10);
  for (int i = 0; i < 50; i++) tap.send(frame.data(), 300);  // too late
  CHECK(!tap.await_done(500));
  tap.takes_records = true;
  CHECK(tap.await_done(1'000));
  CHECK_EQUAL(50, tap.sent.size());
  CHECK_EQUAL(50, tap.counter(TAP(received_packets)));
  for (int i = 0; i < 10; i++) tap.send(frame.data(), 300);
  CHECK_EQUAL(50, tap.counter(TAP(received_packets)));
  tap.start();
  tap.idle(20);
  CHECK_EQUAL(0, tap.counter(TAP(received_packets)));
  CHECK_EQUAL(0, tap.counter(TAP(sent_packets)));
  tap.send(frame.data(), 300);
  tap.idle(200);
  CHECK_EQUAL(51, tap.sent.size());
}

/** From a start to the stop after it. */
struct Run {
  uint64_t start_cycle, started_cycle, stop_cycle, stopped_cycle;

  bool may_have(uint64_t first_cycle) const { return first_cycle >= start_cycle && first_cycle <= stopped_cycle; }
  bool must_have(uint64_t first_cycle) const { return first_cycle > started_cycle && first_cycle < stop_cycle; }
};

/** At any beats of what comes meanwhile. */
Run start_and_stop(Tap& tap, Random& random) {
  constexpr uint32_t kMostCycles = 600;  // several frames of 9000 bytes
  Run run;
  tap.idle(random.below(kMostCycles));
  run.start_cycle = tap.cycle;
  tap.start();
  run.started_cycle = tap.cycle + kHeardCycles;
  tap.idle(random.below(kMostCycles));
  run.stop_cycle = tap.cycle;
  tap.stop();
  run.stopped_cycle = tap.cycle + kHeardCycles;
  CHECK(tap.await_done(2'000));
  return run;
}

/** When it is done there are records of whole frames: of each that began while it ran, and of no other. */
void check_run(Tap& tap, const Run& run, const std::vector<Expected>& begun, int64_t delay_ns) {
  size_t records = 0;
  uint64_t bytes = 0;
  for (const Expected& frame : begun) {
    const bool has_record = records < tap.sent.size() && is_of(tap.sent[records], frame, delay_ns);
    CHECK(has_record ? run.may_have(frame.first_cycle) : !run.must_have(frame.first_cycle));
    if (!has_record) continue;
    CHECK(same(tap.sent[records], frame, delay_ns));
    bytes += frame.bytes;
    records++;
  }
  CHECK_EQUAL(tap.sent.size(), records);
  CHECK_EQUAL(records, tap.counter(TAP(received_packets)));
  CHECK_EQUAL(records, tap.counter(TAP(sent_packets)));
  CHECK_EQUAL(bytes, tap.counter(TAP(received_bytes)));
}

TEST(a_stop_amid_a_frame_lets_it_end_and_a_start_waits_for_the_next) {
  constexpr int kRuns = 2'000;
  Random random(seed);
  Tap tap(random);
  const int64_t delay_ns = delay_ns_of(tap);
  tap.stop();
  CHECK(tap.await_done(1'000));
  std::vector<Expected> begun;
  tap.pause(kPausePercent);
  tap.source = [&](Frame& frame) {
    frame = udp_frame_of_some_flow(random.below(4) == 0 ? 60 + random.below(1'500) : 9'000, random);
    begun.push_back(expect(tap, frame.data(), static_cast<uint32_t>(frame.size()), 0));
    begun.back().first_cycle = tap.cycle;
    return true;
  };
  uint64_t records = 0;
  for (int i = 0; i < kRuns; i++) {
    const Run run = start_and_stop(tap, random);
    check_run(tap, run, begun, delay_ns);
    records += tap.sent.size();
    begun.clear();  // none of these has a part in the next run
    tap.sent.clear();
    if (test::failures() > 20) throw Hopeless{"too many failures"};
  }
  std::printf("%d stops and starts among frames of up to 9000 bytes without a gap: %" PRIu64 " records, all of whole frames\n", kRuns,
              records);
  CHECK(records > kRuns);
}

}  // namespace
}  // namespace flowstone::sim
