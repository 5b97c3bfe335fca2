// SPDX-License-Identifier: Apache-2.0
// A reader of one ring who believes nothing: each slot's generation, and at each TIME record that what was read and what LOSS records
// told of are what was offered.
#pragma once

#include <cstring>
#include <vector>

#include "flowstone/abi.h"

namespace flowstone::card::test {

inline uint32_t kind_of(const fs_packet_record& record) {
  return record.descriptor >> FS_PACKET_RECORD_KIND_SHIFT & FS_PACKET_RECORD_KIND_MASK;
}
inline uint32_t generation_of(const fs_packet_record& record) {
  return record.descriptor >> FS_PACKET_RECORD_GENERATION_SHIFT & FS_PACKET_RECORD_GENERATION_MASK;
}

class RingCheck {
 public:
  explicit RingCheck(uint32_t slots_log2) : slots_log2_(slots_log2) {}

  bool keeps_records = false;
  std::vector<fs_packet_record> records;  // packets, without their generation

  uint64_t position() const { return position_; }
  uint64_t packets() const { return packets_; }
  uint64_t lost() const { return lost_; }
  uint64_t times() const { return times_; }
  uint64_t losses() const { return losses_; }
  uint64_t damaged() const { return damaged_; }
  uint64_t unexplained() const { return unexplained_; }
  uint64_t most_unexplained() const { return most_unexplained_; }
  uint64_t longest_gap_slots() const { return longest_gap_slots_; }
  uint64_t first_ns() const { return first_ns_; }
  uint64_t latest_ns() const { return latest_ns_; }
  uint64_t latest_offered() const { return latest_offered_; }
  uint64_t latest_dropped() const { return latest_dropped_; }

  bool is_expected(const fs_packet_record& slot) const {
    return generation_of(slot) == (position_ >> slots_log2_) % FS_PACKET_RECORD_GENERATIONS + 1;
  }

  /** The slot at position(). */
  void read(const fs_packet_record& slot) {
    const bool is_whole = is_expected(slot);
    position_++;
    if (!is_whole) {
      damaged_++;
      return;
    }
    switch (kind_of(slot)) {
      case FS_RECORD_KIND_TIME:
        read_time(slot);
        break;
      case FS_RECORD_KIND_LOSS:
        read_loss(slot);
        break;
      default:
        packets_++;
        if (keeps_records) keep(slot);
    }
  }

 private:
  void read_time(const fs_packet_record& slot) {
    fs_time_record time;
    std::memcpy(&time, &slot, sizeof time);
    if (times_++ == 0) first_ns_ = time.time_ns;
    longest_gap_slots_ = position_ - time_end_ > longest_gap_slots_ ? position_ - time_end_ : longest_gap_slots_;
    time_end_ = position_;
    latest_ns_ = time.time_ns;
    latest_offered_ = time.offered_packets;
    latest_dropped_ = time.dropped_packets;
    const uint64_t known = packets_ + lost_;
    unexplained_ = known > time.offered_packets ? known - time.offered_packets : time.offered_packets - known;
    if (unexplained_ > most_unexplained_) most_unexplained_ = unexplained_;
  }

  void read_loss(const fs_packet_record& slot) {
    fs_loss_record loss;
    std::memcpy(&loss, &slot, sizeof loss);
    losses_++;
    lost_ += loss.lost_packets;
  }

  void keep(fs_packet_record record) {
    record.descriptor &= ~(FS_PACKET_RECORD_GENERATION_MASK << FS_PACKET_RECORD_GENERATION_SHIFT);
    records.push_back(record);
  }

  uint32_t slots_log2_;
  uint64_t position_ = 0;
  uint64_t packets_ = 0;
  uint64_t lost_ = 0;
  uint64_t times_ = 0;
  uint64_t losses_ = 0;
  uint64_t damaged_ = 0;
  uint64_t unexplained_ = 0;  // at the latest TIME record
  uint64_t most_unexplained_ = 0;
  uint64_t time_end_ = 0;           // position after the latest TIME record
  uint64_t longest_gap_slots_ = 0;  // from one TIME record to the next
  uint64_t first_ns_ = 0;
  uint64_t latest_ns_ = 0;
  uint64_t latest_offered_ = 0;
  uint64_t latest_dropped_ = 0;
};

}  // namespace flowstone::card::test
