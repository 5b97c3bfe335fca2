// SPDX-License-Identifier: Apache-2.0
// A port's frames as beats, as a MAC hands them on: where no beat is, the bus holds anything, and inside a frame there may be such cycles.
#pragma once

#include <cstdint>
#include <cstring>

#include "frames.hpp"

namespace flowstone::sim {

inline constexpr uint32_t kBeatBytes = 64;
/** 100 Gb/s fill some 65 of 100 cycles of 300 MHz. */
inline constexpr uint32_t kPausePercent = 35;

/** What is on the bus in one cycle. */
struct FrameBeat {
  uint8_t data[kBeatBytes];
  uint64_t keep;
  bool last;
  bool bad;
  bool valid;
};

/** One frame at a time, with a beat for each cycle but for the pauses that a test asks for. */
class FrameBeats {
 public:
  /** So many of a hundred cycles behind a beat are without one, if the frame is not over. */
  uint32_t pause_percent = 0;

  explicit FrameBeats(uint64_t seed) : random_(seed) {}

  bool is_sending() const { return offset_ < frame_.size(); }

  void begin(const uint8_t* bytes, uint32_t count, bool bad = false) {
    frame_.assign(bytes, bytes + count);
    offset_ = 0;
    is_bad_ = bad;
  }

  /** What the bus has in the next cycle; of a frame that was begun, the first beat is in it. */
  FrameBeat next() {
    FrameBeat beat = anything();
    if (is_sending() && !pauses()) put_frame(beat);
    return beat;
  }

 private:
  bool pauses() { return pause_percent != 0 && offset_ != 0 && random_.below(100) < pause_percent; }

  FrameBeat anything() {
    FrameBeat beat;
    for (uint32_t word = 0; word < kBeatBytes / 8; word++) {
      const uint64_t bits = random_.next();
      std::memcpy(beat.data + 8 * word, &bits, sizeof bits);
    }
    beat.keep = random_.next();
    beat.last = (random_.next() >> 63) != 0;
    beat.bad = (random_.next() >> 63) != 0;
    beat.valid = false;
    return beat;
  }

  /** Bytes of the last beat that are not the frame's stay anything. */
  void put_frame(FrameBeat& beat) {
    const size_t left = frame_.size() - offset_;
    const size_t count = left < kBeatBytes ? left : kBeatBytes;
    std::memcpy(beat.data, frame_.data() + offset_, count);
    beat.keep = count == kBeatBytes ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
    beat.last = left == count;
    beat.bad = is_bad_ && beat.last;
    beat.valid = true;
    offset_ += count;
  }

  test::Random random_;
  Frame frame_;
  size_t offset_ = 0;
  bool is_bad_ = false;
};

}  // namespace flowstone::sim
