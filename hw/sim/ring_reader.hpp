// SPDX-License-Identifier: Apache-2.0
// A reader of one ring as a host program would write it: it knows the slots, and what the ports sent, but nothing of the kernel's
// inside. It accounts for every packet.
#pragma once

#include "check.hpp"
#include "ring_packet.hpp"

namespace flowstone::sim {

using Sent = std::array<std::vector<Beat>, 2>;

class RingReader {
 public:
  RingReader(uint32_t ring, uint32_t slots_log2, const Sent& sent) : ring_(ring), slots_log2_(slots_log2), sent_(sent) {}

  uint64_t position() const { return position_; }
  uint64_t packets() const { return packets_; }
  uint64_t lost() const { return lost_; }
  uint64_t latest_time_ns() const { return time_base_ns_; }

  void read(const Slot& slot) {
    const fs_packet_record record = record_of(slot);
    CHECK_EQUAL((position_ >> slots_log2_) % FS_PACKET_RECORD_GENERATIONS + 1, generation(record));
    switch (kind(record)) {
      case FS_RECORD_KIND_TIME:
        read_time(slot);
        break;
      case FS_RECORD_KIND_LOSS:
        read_loss(slot);
        break;
      default:
        read_packet(record);
    }
    position_++;
  }

  /** Nothing more comes: whatever the ports sent to this ring was read or is told lost. */
  void end(const std::array<uint64_t, 2>& taken) {
    CHECK(last_is_time_ || !is_timed_);
    for (uint32_t port = 0; port < 2; port++) {
      pass_over(port, taken[port]);
    }
    CHECK_EQUAL(passed_over_, lost_);
  }

 private:
  void read_time(const Slot& slot) {
    fs_time_record record;
    memcpy(&record, slot.data(), sizeof record);
    CHECK_EQUAL(packets_ + lost_, record.offered_packets);
    CHECK_EQUAL(packets_, record.written_packets);
    CHECK_EQUAL(lost_, record.dropped_packets);
    CHECK_EQUAL(1, record.clock_trusted);
    CHECK_EQUAL(0, record.lost_before_tap);
    CHECK_EQUAL(descriptor(FS_RECORD_KIND_TIME, generation(record_of(slot))), record.descriptor);
    is_timed_ = true;
    last_is_time_ = true;
    time_base_ns_ = record.time_ns;
    time_position_ = position_;
  }

  void read_loss(const Slot& slot) {
    fs_loss_record record;
    memcpy(&record, slot.data(), sizeof record);
    CHECK(record.lost_packets > 0);
    lost_ += record.lost_packets;
    CHECK_EQUAL(lost_, record.dropped_packets);
    CHECK_EQUAL(0, record.lost_before_tap);
    CHECK_EQUAL(0, record.lost_before_tap_total);
    CHECK_EQUAL(descriptor(FS_RECORD_KIND_LOSS, generation(record_of(slot))), record.descriptor);
    last_is_time_ = false;
  }

  void read_packet(fs_packet_record record) {
    CHECK(is_timed_);
    CHECK(position_ - time_position_ <= 65536);
    last_is_time_ = false;
    packets_++;
    const uint32_t port = ingress_port(record);
    const uint32_t number = record.sequence;
    if (number >= sent_[port].size() || number < next_[port]) {
      CHECK_EQUAL(next_[port], number);
      return;
    }
    pass_over(port, number);
    next_[port] = number + 1;
    const Beat& beat = sent_[port][number];
    CHECK_EQUAL(false, beat.is_tick);
    CHECK_EQUAL(ring_, beat.ring);
    const uint64_t time_ns =
        time_base_ns_ + static_cast<uint64_t>(static_cast<int64_t>(
                            static_cast<int32_t>(record.time_low - static_cast<uint32_t>(time_base_ns_))));
    CHECK_EQUAL(beat.time_ns, time_ns);
    record.descriptor &= ~(FS_PACKET_RECORD_GENERATION_MASK << FS_PACKET_RECORD_GENERATION_SHIFT);
    CHECK(slot_of(packet_record(port, number, beat.time_ns)) == slot_of(record));
  }

  void pass_over(uint32_t port, uint64_t up_to) {
    for (uint64_t number = next_[port]; number < up_to; number++) {
      const Beat& beat = sent_[port][number];
      passed_over_ += !beat.is_tick && beat.ring == ring_;
    }
    next_[port] = up_to;
  }

  const uint32_t ring_;
  const uint32_t slots_log2_;
  const Sent& sent_;
  uint64_t position_ = 0;
  uint64_t packets_ = 0;
  uint64_t lost_ = 0;
  uint64_t passed_over_ = 0;
  std::array<uint64_t, 2> next_{};
  bool is_timed_ = false;
  bool last_is_time_ = false;
  uint64_t time_base_ns_ = 0;
  uint64_t time_position_ = 0;
};

}  // namespace flowstone::sim
