// SPDX-License-Identifier: Apache-2.0
// What ht_pcapsrc promises.
#include "pcapsrc_bench.hpp"

namespace flowstone::sim {
namespace {

constexpr uint32_t kReadFailed = 1u << FS_CARD_SOURCE_REGISTERS_READ_FAILED_SHIFT;
constexpr uint32_t kCutShort = 1u << FS_CARD_SOURCE_REGISTERS_CUT_SHORT_SHIFT;

Frame frame_of(size_t bytes, Random& random) {
  Frame frame(bytes);
  for (uint8_t& each : frame) each = static_cast<uint8_t>(random.next());
  return frame;
}

std::vector<Frame> frames_of(const std::vector<size_t>& sizes) {
  Random random(seed);
  std::vector<Frame> frames;
  for (const size_t size : sizes) frames.push_back(frame_of(size, random));
  return frames;
}

std::vector<Frame> some_frames(size_t count) {
  Random random(seed * 7 + 1);
  std::vector<size_t> sizes;
  for (size_t i = 0; i < count; i++) {
    sizes.push_back(random.chance(5) ? random.between(1, 9600) : random.chance(20) ? 64 * random.between(1, 24) : random.between(1, 400));
  }
  return frames_of(sizes);
}

void check_sent(const PcapsrcBench& source, const std::vector<Frame>& frames, size_t count) {
  CHECK_EQUAL(count, source.sent.size());
  for (size_t i = 0; i < source.sent.size() && i < count; i++) {
    CHECK(source.sent[i].bytes == frames[i % frames.size()]);
    CHECK(!source.sent[i].damaged);
  }
}

uint64_t bytes_of(const PcapsrcBench& source) {
  uint64_t bytes = 0;
  for (const SentFrame& frame : source.sent) bytes += frame.bytes.size();
  return bytes;
}

TEST(registers_say_what_they_were_told) {
  PcapsrcBench source({});
  CHECK_EQUAL(FS_CARD_SOURCE_REGISTERS_MAGIC, source.read(SOURCE(magic)));
  CHECK_EQUAL(FS_CARD_SOURCE_REGISTERS_VERSION, source.read(SOURCE(version)));
  CHECK_EQUAL(0x20261121, source.read(SOURCE(build)));
  CHECK_EQUAL(1u << FS_CARD_SOURCE_REGISTERS_IDLE_SHIFT, source.read(SOURCE(control)));
  source.write(SOURCE(base_address), 0x12345fff);
  source.write(SOURCE(base_address) + 4, 0x9abcdef0);
  source.write(SOURCE(units), 77);
  source.write(SOURCE(rounds), 3);
  source.write(SOURCE(gap_cycles), 5);
  CHECK_EQUAL(0x9abcdef012345000, source.counter(SOURCE(base_address)));
  CHECK_EQUAL(77, source.read(SOURCE(units)));
  CHECK_EQUAL(3, source.read(SOURCE(rounds)));
  CHECK_EQUAL(5, source.read(SOURCE(gap_cycles)));
}

TEST(frames_go_out_as_they_lie_in_memory) {
  const std::vector<Frame> frames = some_frames(2000);
  for (const uint64_t latency : {0, 40, 700}) {
    for (const unsigned pause : {0, 30}) {
      PcapsrcBench source(frames);
      source.latency_cycles = latency;
      source.memory_pause_percent = pause;
      source.frames_pause_percent = 30 - pause;
      source.begin();
      source.await_done(2'000'000);
      check_sent(source, frames, frames.size());
      CHECK_EQUAL(bytes_of(source), source.counter(SOURCE(sent_bytes)));
      CHECK_EQUAL(source.memory.size() / kUnitBytes, source.reads);
      CHECK_EQUAL(0, source.read(SOURCE(status)));
    }
  }
}

TEST(rounds_follow_each_other) {
  const std::vector<Frame> frames = some_frames(45);
  PcapsrcBench source(frames);
  source.begin(4);
  source.await_done(200'000);
  check_sent(source, frames, 4 * frames.size());
  source.sent.clear();
  source.begin(1);  // counters are those of this start
  source.await_done(200'000);
  check_sent(source, frames, frames.size());
}

TEST(nothing_to_send_is_done_at_once) {
  PcapsrcBench source({});
  source.begin();
  source.await_done(1000);
  CHECK_EQUAL(0, source.sent.size());
  CHECK_EQUAL(0, source.reads);
}

TEST(a_stop_ends_between_two_frames) {
  const std::vector<Frame> frames = some_frames(300);
  Random random(seed);
  for (int i = 0; i < 40; i++) {
    PcapsrcBench source(frames);
    source.frames_pause_percent = 20;
    source.begin(0);
    source.idle(random.between(0, 4000));
    source.write(SOURCE(stop), 1);
    source.await_done(20'000);
    check_sent(source, frames, source.sent.size());
    const size_t sent = source.sent.size();
    source.idle(1000);
    CHECK_EQUAL(sent, source.sent.size());
    source.sent.clear();
    source.begin(1);
    source.await_done(100'000);
    check_sent(source, frames, frames.size());
  }
}

/** One frame, longer than what is held of the memory: it needs to be read on after the stop. */
TEST(a_stop_lets_the_longest_frame_end) {
  const std::vector<Frame> frames = frames_of({65535, 65535});
  PcapsrcBench source(frames);
  source.takes_frames = false;
  source.begin(0);
  source.idle(1500);
  source.write(SOURCE(stop), 1);
  source.takes_frames = true;
  source.await_done(20'000);
  check_sent(source, frames, 1);
}

TEST(who_takes_no_frame_loses_none) {
  const std::vector<Frame> frames = some_frames(400);
  PcapsrcBench source(frames);
  source.takes_frames = false;
  source.begin();
  source.idle(5000);
  CHECK(source.reads <= 512);  // no more is asked for than can be held
  source.takes_frames = true;
  source.await_done(200'000);
  check_sent(source, frames, frames.size());
}

TEST(gaps_are_kept) {
  const std::vector<Frame> frames = frames_of({60, 64, 65, 200, 60, 60});
  for (const uint32_t gap : {1, 2, 7, 100}) {
    PcapsrcBench source(frames);
    source.write(SOURCE(gap_cycles), gap);
    source.begin();
    source.await_done(10'000);
    check_sent(source, frames, frames.size());
    for (size_t i = 1; i < source.sent.size(); i++) {
      const uint64_t beats = (source.sent[i - 1].bytes.size() + 63) / 64;
      CHECK_EQUAL(source.sent[i - 1].first_cycle + beats + gap, source.sent[i].first_cycle);
    }
  }
}

/** A unit of the third frame: that is sent as far as it came, and called damaged. */
void check_refused(size_t unit) {
  const std::vector<Frame> frames = frames_of({60, 60, 300, 60, 60});
  PcapsrcBench source(frames);
  source.refused_read = 1 + 2 + unit;
  source.begin(0);
  source.await_done(10'000);
  CHECK_EQUAL(3, source.sent.size());
  CHECK(source.sent[1].bytes == frames[1] && !source.sent[1].damaged);
  CHECK_EQUAL(std::min(frames[2].size(), (unit + 1) * kUnitBytes), source.sent[2].bytes.size());
  CHECK(source.sent[2].damaged);
  CHECK_EQUAL(kReadFailed, source.read(SOURCE(status)));
  source.sent.clear();
  source.begin(1);
  source.await_done(10'000);
  check_sent(source, frames, frames.size());
  CHECK_EQUAL(0, source.read(SOURCE(status)));
}

TEST(a_refused_read_damages_the_frame_and_ends) {
  for (const size_t unit : {0, 1, 4}) check_refused(unit);
}

TEST(refused_lengths_are_not_believed) {
  const std::vector<Frame> frames = frames_of(std::vector<size_t>(40, 60));
  PcapsrcBench source(frames);
  source.refused_read = 33;  // the second block
  source.begin(0);
  source.await_done(10'000);
  check_sent(source, frames, 32);
  CHECK_EQUAL(kReadFailed, source.read(SOURCE(status)));
}

void check_cut(const std::vector<Frame>& frames, size_t units, size_t whole, bool damaged) {
  PcapsrcBench source(frames);
  source.memory.resize(units * kUnitBytes);
  source.begin(3);
  source.await_done(10'000);
  CHECK_EQUAL(whole + (damaged ? 1 : 0), source.sent.size());
  for (size_t i = 0; i < whole; i++) CHECK(source.sent[i].bytes == frames[i] && !source.sent[i].damaged);
  if (damaged) CHECK(source.sent.back().damaged);
  CHECK_EQUAL(kCutShort, source.read(SOURCE(status)));
}

TEST(a_capture_that_is_cut_short_says_so) {
  const std::vector<Frame> frames = frames_of({60, 300, 60});
  check_cut(frames, 4, 1, true);
  check_cut(frames, 2, 1, false);
  check_cut(frames, 1, 0, false);
}

TEST(a_counters_high_word_is_that_of_its_low_word) {
  PcapsrcBench source(frames_of({1500}));
  source.begin(0);
  source.idle(3000);
  const uint64_t bytes = source.counter(SOURCE(sent_bytes));
  CHECK(bytes > 1500 && bytes < 10'000'000);
  CHECK_EQUAL(bytes >> 32, source.read(SOURCE(sent_bytes) + 4));
}

// ---- Line rate: 32 frames and their lengths, with a memory that gives a unit in each cycle. ----

void line_rate(size_t bytes, size_t count) {
  const std::vector<Frame> frames = frames_of(std::vector<size_t>(64, bytes));
  PcapsrcBench source(frames);
  source.begin(static_cast<uint32_t>(count / 64));
  source.await_done(100 * count);
  const uint64_t beats = (bytes + 63) / 64;
  const uint64_t cycles = source.sent.back().first_cycle - source.sent.front().first_cycle + beats;
  const double per_cycle = static_cast<double>(count) / static_cast<double>(cycles);
  std::printf("from memory, frames of %4zu bytes: %6.4f frames/cycle, %5.1f Mpps at 300 MHz\n", bytes, per_cycle, per_cycle * 300);
  CHECK_EQUAL(count, source.sent.size());
  CHECK(cycles <= count * beats + count / 32 + 64);
}

TEST(line_rate_of_64) { line_rate(64, 64'000); }
TEST(line_rate_of_1518) { line_rate(1518, 6'400); }

}  // namespace
}  // namespace flowstone::sim

int main(int argc, char** argv) { return flowstone::sim::run_tests(argc, argv); }
