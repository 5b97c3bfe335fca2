// SPDX-License-Identifier: Apache-2.0
// A port's wire: the frames of a feed, each at its moment. The wire moves while the port's kernel runs; so nothing is lost before a
// tap is there, and a tap that comes again goes on where the one before it was stopped.
#pragma once

#include <memory>
#include <vector>

#include "feed.hpp"

namespace flowstone::card {

struct Pace {
  enum class Kind {
    kRate,     // so many packets in a second
    kCapture,  // as the feed's times say
    kMost,     // as fast as the engine takes them
    kWait,     // the same, and a full ring makes the wire wait, which no real one does: nothing is lost
  };
  Kind kind = Kind::kRate;
  uint64_t packets_per_second = 1'000'000;
};

/** Frames that are there, in the wire's own memory: an engine may write their times and flags. */
struct Arrived {
  const uint8_t* base;
  fs_raw_packet* packets;
  uint32_t count;
};

class Wire {
 public:
  static constexpr uint32_t kBatch = 1024;
  static constexpr uint64_t kLookNs = 1'000'000;  // for frames of a feed that has none at the moment

  Wire() : Wire(nullptr, {}) {}
  Wire(std::unique_ptr<Feed> feed, Pace pace) : feed_(std::move(feed)), pace_(pace), packets_(kBatch) {}

  bool waits() const { return pace_.kind == Pace::Kind::kWait; }

  void resume(uint64_t now_ns) {
    resumed_ns_ = now_ns;
    since_resumed_ = 0;
    first_time_ns_ = 0;
  }

  /** What has arrived until now and was not taken yet. */
  Arrived arrived(uint64_t now_ns) {
    looked_ns_ = now_ns;
    if (first_ == last_) fetch();
    uint32_t count = last_ - first_;
    if (count > 0 && pace_.kind == Pace::Kind::kRate) count = due_by_rate(count, now_ns);
    if (count > 0 && pace_.kind == Pace::Kind::kCapture) count = due_by_time(count, now_ns);
    return {base_, packets_.data() + first_, count};
  }

  void take(uint32_t count) {
    first_ += count;
    since_resumed_ += count;
    taken_ += count;
  }

  /** When the next frame comes, if none is there; UINT64_MAX: never. */
  uint64_t next_ns() const {
    if (is_over()) return UINT64_MAX;
    if (first_ == last_) return looked_ns_ + kLookNs;
    switch (pace_.kind) {
      case Pace::Kind::kRate:
        // Not for each frame: a millisecond's together cost one waking.
        return resumed_ns_ + ns_of(since_resumed_ + 1) + (pace_.packets_per_second > 1000 ? 1'000'000 : 0);
      case Pace::Kind::kCapture:
        return resumed_ns_ + since_first(packets_[first_]);
      default:
        return 0;
    }
  }

  /** The feed has ended, and all of it was taken. */
  bool is_over() const { return is_ended_ && first_ == last_; }
  uint64_t taken_packets() const { return taken_; }
  uint64_t skipped_packets() const { return feed_ == nullptr ? 0 : feed_->skipped_packets(); }

 private:
  void fetch() {
    if (is_ended_) return;
    const FrameBatch batch = feed_ == nullptr ? FrameBatch{} : feed_->next(packets_.data(), kBatch);
    base_ = batch.base;
    first_ = 0;
    last_ = batch.count;
    is_ended_ = batch.count == 0 && (feed_ == nullptr || feed_->has_ended());
  }

  uint64_t ns_of(uint64_t packets) const {
    return static_cast<uint64_t>(static_cast<unsigned __int128>(packets) * 1'000'000'000 / pace_.packets_per_second);
  }

  uint32_t due_by_rate(uint32_t count, uint64_t now_ns) const {
    const unsigned __int128 elapsed_ns = now_ns - resumed_ns_;
    const uint64_t due = static_cast<uint64_t>(elapsed_ns * pace_.packets_per_second / 1'000'000'000);
    return due <= since_resumed_ ? 0 : static_cast<uint32_t>(due - since_resumed_ < count ? due - since_resumed_ : count);
  }

  /** A capture's clock may go back: that frame comes at once. */
  uint64_t since_first(const fs_raw_packet& packet) const {
    return packet.time_ns > first_time_ns_ ? packet.time_ns - first_time_ns_ : 0;
  }

  uint32_t due_by_time(uint32_t count, uint64_t now_ns) {
    if (first_time_ns_ == 0) first_time_ns_ = packets_[first_].time_ns;
    uint32_t due = 0;
    while (due < count && since_first(packets_[first_ + due]) <= now_ns - resumed_ns_) due++;
    return due;
  }

  std::unique_ptr<Feed> feed_;
  Pace pace_;
  std::vector<fs_raw_packet> packets_;
  const uint8_t* base_ = nullptr;
  uint32_t first_ = 0;
  uint32_t last_ = 0;
  bool is_ended_ = false;
  uint64_t taken_ = 0;
  uint64_t looked_ns_ = 0;
  uint64_t resumed_ns_ = 0;
  uint64_t since_resumed_ = 0;
  uint64_t first_time_ns_ = 0;
};

}  // namespace flowstone::card
