// SPDX-License-Identifier: Apache-2.0
// What a ring has to hold, written from docs/formats/ring-protocol.md and the layouts' pages, slot by slot. It is told in which order
// items come to the ring and how much the ring knew to be free when it dealt with one, and decides for itself what becomes of it.
#pragma once

#include <deque>

#include "ring_packet.hpp"

namespace flowstone::sim {

constexpr uint64_t kTimeIntervalSlots = 65536;
constexpr uint64_t kFreeBehindControl = 2;

struct Counters {
  uint64_t offered_packets = 0;
  uint64_t written_packets = 0;
  uint64_t dropped_packets = 0;
  uint64_t lost_recorded = 0;
  uint64_t offered_bytes = 0;
};

struct Item {
  enum Kind { kPacket, kTick, kLast };
  Kind kind;
  bool has_time;
  uint64_t time_ns;
  uint32_t port;
  uint32_t number;
};

class RingReference {
 public:
  explicit RingReference(uint32_t slots_log2) : slots_log2_(slots_log2) {}

  void arrive(const Item& item) { items_.push_back(item); }
  bool has_item() const { return !items_.empty(); }
  uint64_t position() const { return position_; }
  const Counters& counters() const { return counters_; }
  bool is_full() const { return is_full_; }
  bool is_over() const { return is_over_; }
  uint64_t time_records() const { return time_records_; }
  uint64_t loss_records() const { return loss_records_; }

  /** The ring saw these slots given back. */
  void release(uint64_t slots) { credit_ += slots; }
  uint64_t credit() const { return credit_; }

  /** The ring is done with its next item. */
  void deal() {
    const Item item = items_.front();
    items_.pop_front();
    switch (item.kind) {
      case Item::kPacket:
        deal_with_packet(item);
        break;
      case Item::kTick:
        if (is_due(item.time_ns) && has_room(1 + untold() + kFreeBehindControl)) {
          tell_loss();
          tell_time(item.time_ns);
        }
        break;
      case Item::kLast:
        tell_loss();
        if (is_timed_ || item.has_time) {
          tell_time(is_timed_ ? latest_ns_ : item.time_ns);
        }
        is_over_ = true;
        break;
    }
  }

  bool has_expected() const { return !expected_.empty(); }
  Slot next_expected() {
    const Slot slot = expected_.front();
    expected_.pop_front();
    return slot;
  }

 private:
  uint64_t untold() const { return pending_packets_ > 0 ? 1 : 0; }
  bool has_room(uint64_t slots) const { return position_ + slots <= credit_ + (uint64_t{1} << slots_log2_); }

  bool is_due(uint64_t time_ns) const {
    return !is_timed_ || (time_ns > latest_ns_ && time_ns - latest_ns_ >= FS_TIME_RECORD_INTERVAL_NS);
  }

  /** LOSS takes a slot of its own, so the time may be needed only because of it. */
  bool needs_time(uint64_t time_ns) const {
    const uint64_t distance_ns = time_ns > latest_ns_ ? time_ns - latest_ns_ : latest_ns_ - time_ns;
    return !is_timed_ || distance_ns >= FS_TIME_RECORD_STEP_NS ||
           position_ + untold() >= time_position_ + kTimeIntervalSlots;
  }

  void deal_with_packet(const Item& item) {
    fs_packet_record record = packet_record(item.port, item.number, item.time_ns);
    const bool needs = needs_time(item.time_ns);
    if (has_room(untold() + (needs ? 1 : 0) + 1 + FS_RING_FILE_HEADER_RESERVED_SLOTS)) {
      tell_loss();
      if (needs) {
        tell_time(item.time_ns);
      }
      put(record);
      counters_.written_packets++;
      is_full_ = false;
    } else {
      if (pending_packets_ == 0) {
        first_lost_ns_ = item.time_ns;
      }
      last_lost_ns_ = item.time_ns;
      pending_packets_++;
      counters_.dropped_packets++;
      is_full_ = true;
    }
    counters_.offered_packets++;
    counters_.offered_bytes += frame_length(record);
  }

  void tell_loss() {
    if (pending_packets_ == 0) {
      return;
    }
    fs_loss_record record = {};
    record.lost_packets = pending_packets_;
    record.first_lost_ns = first_lost_ns_;
    record.last_lost_ns = last_lost_ns_;
    record.dropped_packets = counters_.dropped_packets;
    record.descriptor = descriptor(FS_RECORD_KIND_LOSS, 0);
    put(record);
    counters_.lost_recorded += pending_packets_;
    pending_packets_ = 0;
    loss_records_++;
  }

  void tell_time(uint64_t time_ns) {
    fs_time_record record = {};
    record.time_ns = time_ns;
    record.offered_packets = counters_.offered_packets;
    record.written_packets = counters_.written_packets;
    record.dropped_packets = counters_.dropped_packets;
    record.clock_trusted = 1;
    record.descriptor = descriptor(FS_RECORD_KIND_TIME, 0);
    time_position_ = position_;
    latest_ns_ = time_ns;
    is_timed_ = true;
    put(record);
    time_records_++;
  }

  template <typename Record>
  void put(Record record) {
    const uint64_t tag = (position_ >> slots_log2_) % FS_PACKET_RECORD_GENERATIONS + 1;
    record.descriptor |= static_cast<uint32_t>(tag) << FS_PACKET_RECORD_GENERATION_SHIFT;
    expected_.push_back(slot_of(record));
    position_++;
  }

  const uint32_t slots_log2_;
  std::deque<Item> items_;
  std::deque<Slot> expected_;
  uint64_t position_ = 0;
  uint64_t credit_ = 0;
  Counters counters_;
  bool is_timed_ = false;
  uint64_t latest_ns_ = 0;
  uint64_t time_position_ = 0;
  uint64_t pending_packets_ = 0;
  uint64_t first_lost_ns_ = 0;
  uint64_t last_lost_ns_ = 0;
  bool is_full_ = false;
  bool is_over_ = false;
  uint64_t time_records_ = 0;
  uint64_t loss_records_ = 0;
};

}  // namespace flowstone::sim
