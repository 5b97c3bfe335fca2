// SPDX-License-Identifier: Apache-2.0
// ht_tap as a model: the frames of one port in, their records out, with time, class and the rings of their key groups.
#pragma once

#include <array>
#include <vector>

#include "../device/clock.hpp"
#include "../device/register_file.hpp"
#include "../feed/wire.hpp"
#include "classifier.hpp"

namespace flowstone::card {

/** Records that have passed the rules, with the frames that they are of, side by side. */
struct Parsed {
  const fs_raw_packet* packets;
  const fs_packet_record* records;
  uint32_t count;
};

class TapModel {
 public:
  /** With the capture's time, the feed sets the clock and the host's writes change nothing. */
  TapModel(RegisterFile registers, bool has_capture_time);

  void write(uint32_t offset_bytes, uint32_t value);
  bool runs() const { return runs_; }
  uint64_t time_ns(uint64_t now_ns) const { return clock_.at(now_ns); }
  const uint8_t* ring_of_key_group() const { return table_.data(); }
  uint32_t max_parallelism() const { return max_parallelism_; }

  /** Makes records of frames. They are the caller's until the next call; how many of them were dealt with says received(). */
  Parsed parse(const Arrived& arrived, uint64_t now_ns);

  /** The first of the frames given to parse() are through, up to and without this record's. Returns how many frames these are. */
  uint32_t received(const Arrived& arrived, uint32_t records);

  /** A frame that the MAC, or a source, calls damaged: it has no record. */
  void received_damaged();

  /** Latest time of a frame; no later frame is earlier. */
  uint64_t latest_ns() const { return latest_ns_; }

  /** There are frames on the wire, whether they can be taken or not. */
  void saw_frames(uint64_t now_ns) { seen_ns_ = now_ns; }

  /** Whether the rings are to be told the time, and when they are next. */
  bool is_tick_due(uint64_t now_ns);
  uint64_t next_tick_ns() const { return runs_ ? next_tick_ns_ : UINT64_MAX; }
  /** No later frame will be earlier. Of the capture's time nobody knows how it goes on until the feed is over. 0: there is none yet. */
  uint64_t tick_time_ns(uint64_t now_ns, bool is_feed_over);

 private:
  void start();
  void stop();
  void set_time(uint32_t low, uint64_t now_ns);
  void give_times(const Arrived& arrived, uint64_t now_ns);
  void classify(uint32_t count);
  void count(size_t offset_bytes, uint64_t more);

  RegisterFile registers_;
  const bool has_capture_time_;
  CardClock clock_;
  Classifier classifier_;
  std::array<uint8_t, FS_RING_FILE_HEADER_MAX_KEY_GROUPS> table_{};
  uint32_t max_parallelism_ = 128;
  uint32_t ingress_port_ = 0;
  uint32_t table_address_ = 0;
  uint32_t time_set_high_ = 0;
  uint32_t tick_cycles_ = kDefaultTickCycles;
  bool is_classifying_ = false;
  bool runs_ = false;
  uint64_t seen_ns_ = 0;
  uint64_t latest_ns_ = 0;
  uint64_t next_tick_ns_ = 0;

  std::vector<fs_packet_record> records_{Wire::kBatch};
  std::vector<fs_raw_packet> kept_packets_{Wire::kBatch};  // where rules dropped some
  std::vector<uint32_t> kept_frames_;                      // index of the frame of each record; empty: the same
};

}  // namespace flowstone::card
