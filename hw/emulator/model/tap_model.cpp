// SPDX-License-Identifier: Apache-2.0
#include "tap_model.hpp"

#include "flowstone.h"

namespace flowstone::card {
namespace {

#define TAP(field) static_cast<uint32_t>(offsetof(fs_card_tap_registers, field))

constexpr uint64_t kCaptureJitterNs = 1'000'000'000;  // whoever sends frames when they are due is no later than that

constexpr uint32_t kBuild = 0x20261125;  // of the model, as an RTL's maker would number it

}  // namespace

TapModel::TapModel(RegisterFile registers, bool has_capture_time) : registers_(registers), has_capture_time_(has_capture_time) {
  registers_.set32(kControlOffset, kIdle);
  registers_.set32(kMagicOffset, FS_CARD_TAP_REGISTERS_MAGIC);
  registers_.set32(kVersionOffset, FS_CARD_TAP_REGISTERS_VERSION);
  registers_.set32(kBuildOffset, kBuild);
  registers_.set32(TAP(max_parallelism), max_parallelism_);
  registers_.set32(TAP(time_increment), clock_.increment());
  registers_.set32(TAP(tick_cycles), tick_cycles_);
}

void TapModel::write(uint32_t offset_bytes, uint32_t value) {
  const uint64_t now_ns = monotonic_ns();
  switch (offset_bytes) {
    case kControlOffset:
      if ((value & kStart) != 0 && !runs_) start();
      return;
    case kStopOffset:
      if ((value & 1) != 0 && runs_) stop();
      return;
    case TAP(ingress_port):
      if (runs_) return;  // arguments change while it is idle alone
      ingress_port_ = value & 1;
      registers_.set32(offset_bytes, ingress_port_);
      return;
    case TAP(max_parallelism):
      if (runs_) return;
      max_parallelism_ = value & 0xFFFF;
      registers_.set32(offset_bytes, max_parallelism_);
      return;
    case TAP(time_increment):
      clock_.set_increment(value, now_ns);
      registers_.set32(offset_bytes, value);
      return;
    case TAP(time_set_high):
      time_set_high_ = value;
      return;
    case TAP(time_set_low):
      set_time(value, now_ns);
      return;
    case TAP(tick_cycles):
      tick_cycles_ = value;
      registers_.set32(offset_bytes, value);
      next_tick_ns_ = now_ns + cycles_to_ns(value);
      return;
    case TAP(classifying):
      is_classifying_ = (value & 1) != 0;
      registers_.set32(offset_bytes, value & 1);
      return;
    case TAP(table_address):
      table_address_ = value % FS_RING_FILE_HEADER_MAX_KEY_GROUPS;
      registers_.set32(offset_bytes, table_address_);
      return;
    case TAP(table_ring):
      table_[table_address_] = value & 7;
      table_address_ = (table_address_ + 1) % FS_RING_FILE_HEADER_MAX_KEY_GROUPS;
      registers_.set32(TAP(table_address), table_address_);
      return;
    default:
      if (offset_bytes >= TAP(rules) && offset_bytes < TAP(reserved_4000)) classifier_.write(offset_bytes - TAP(rules), value);
  }
}

void TapModel::start() {
  for (uint32_t offset = TAP(received_packets); offset < TAP(reserved_344); offset += 8) registers_.set64(offset, 0);
  runs_ = true;
  latest_ns_ = 0;
  next_tick_ns_ = monotonic_ns() + cycles_to_ns(tick_cycles_);
  registers_.set32(kControlOffset, kStart);
}

void TapModel::stop() {
  runs_ = false;  // nothing is under way: records go into rings as they are made
  registers_.set32(kControlOffset, kIdle | kDone | kReady);
}

void TapModel::set_time(uint32_t low, uint64_t now_ns) {
  if (has_capture_time_) return;
  clock_.set(uint64_t{time_set_high_} << 32 | low, now_ns);
  latest_ns_ = 0;  // a clock that is set may go back
}

/** The card's own time: frames of one look came one after the other, at the latest now. */
void TapModel::give_times(const Arrived& arrived, uint64_t now_ns) {
  const uint16_t flags = ingress_port_ != 0 ? uint16_t{FS_RAW_PACKET_FLAG_INGRESS_PORT_1} : uint16_t{0};
  if (has_capture_time_) {
    for (uint32_t i = 0; i < arrived.count; i++) arrived.packets[i].flags = flags;
    clock_.set(arrived.packets[arrived.count - 1].time_ns, now_ns);
    return;
  }
  const uint64_t card_ns = clock_.at(now_ns);
  const uint64_t first_ns = card_ns > latest_ns_ + arrived.count ? card_ns - arrived.count : latest_ns_;
  for (uint32_t i = 0; i < arrived.count; i++) {
    arrived.packets[i].time_ns = first_ns + i;
    arrived.packets[i].flags = flags;
  }
}

Parsed TapModel::parse(const Arrived& arrived, uint64_t now_ns) {
  give_times(arrived, now_ns);
  flowstone_parse(arrived.base, arrived.packets, arrived.count, FS_PARSE_PROFILE_CARD, records_.data());
  kept_frames_.clear();
  if (!is_classifying_) return {arrived.packets, records_.data(), arrived.count};
  for (uint32_t i = 0; i < arrived.count; i++) {
    const Classifier::Verdict verdict = classifier_.classify(records_[i]);
    if (verdict.drops) continue;
    const size_t kept = kept_frames_.size();
    records_[kept] = records_[i];
    records_[kept].descriptor |= verdict.traffic_class << FS_PACKET_RECORD_TRAFFIC_CLASS_SHIFT;
    kept_packets_[kept] = arrived.packets[i];
    kept_frames_.push_back(i);
  }
  const uint32_t kept = static_cast<uint32_t>(kept_frames_.size());
  kept_frames_.push_back(arrived.count);
  return {kept_packets_.data(), records_.data(), kept};
}

uint32_t TapModel::received(const Arrived& arrived, uint32_t records) {
  const uint32_t frames = kept_frames_.empty() ? records : kept_frames_[records];
  if (frames == 0) return 0;
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < frames; i++) bytes += arrived.packets[i].wire_bytes;
  latest_ns_ = arrived.packets[frames - 1].time_ns;
  count(TAP(sent_packets), records);
  count(TAP(filtered_packets), frames - records);
  count(TAP(received_bytes), bytes);
  count(TAP(received_packets), frames);
  return frames;
}

void TapModel::received_damaged() { count(TAP(bad_packets), 1); }

void TapModel::count(size_t offset_bytes, uint64_t more) {
  const uint32_t offset = static_cast<uint32_t>(offset_bytes);
  if (more != 0) registers_.set64(offset, registers_.get64(offset) + more);
}

bool TapModel::is_tick_due(uint64_t now_ns) {
  if (!runs_ || now_ns < next_tick_ns_) return false;
  next_tick_ns_ = now_ns + cycles_to_ns(tick_cycles_);
  return true;
}

uint64_t TapModel::tick_time_ns(uint64_t now_ns, bool is_feed_over) {
  if (has_capture_time_ && (latest_ns_ == 0 || !is_feed_over)) {
    // Where no frame comes for long, the capture's time goes on; the next frame should not be older than that.
    const uint64_t idle_ns = latest_ns_ == 0 || now_ns < seen_ns_ ? 0 : now_ns - seen_ns_;
    return idle_ns < 2 * kCaptureJitterNs ? latest_ns_ : latest_ns_ + idle_ns - kCaptureJitterNs;
  }
  const uint64_t card_ns = clock_.at(now_ns);
  if (card_ns > latest_ns_) latest_ns_ = card_ns;
  return latest_ns_;
}

}  // namespace flowstone::card
