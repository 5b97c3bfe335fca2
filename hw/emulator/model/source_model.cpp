// SPDX-License-Identifier: Apache-2.0
#include "source_model.hpp"

#include <algorithm>

namespace flowstone::card {
namespace {

#define SOURCE(field) static_cast<uint32_t>(offsetof(fs_card_source_registers, field))

constexpr uint32_t kBuild = 0x20261126;  // of the model, as an RTL's maker would number it
constexpr uint32_t kReadFailed = FS_CARD_SOURCE_REGISTERS_READ_FAILED_MASK << FS_CARD_SOURCE_REGISTERS_READ_FAILED_SHIFT;
constexpr uint32_t kCutShort = FS_CARD_SOURCE_REGISTERS_CUT_SHORT_MASK << FS_CARD_SOURCE_REGISTERS_CUT_SHORT_SHIFT;
constexpr uint32_t kMostUnitsAhead = 4096;  // blocks without a frame shall not keep the card busy for ever

}  // namespace

SourceModel::SourceModel(RegisterFile registers, const DeviceMemory& memory, const std::vector<FaultSpec>& faults, FaultWindow& window)
    : registers_(registers), memory_(memory), window_(window) {
  for (const FaultSpec& spec : faults) {
    if (spec.kind == FaultKind::kRefusedRead) refused_reads_.emplace_back(spec);
  }
  registers_.set32(kControlOffset, kIdle);
  registers_.set32(kMagicOffset, FS_CARD_SOURCE_REGISTERS_MAGIC);
  registers_.set32(kVersionOffset, FS_CARD_SOURCE_REGISTERS_VERSION);
  registers_.set32(kBuildOffset, kBuild);
  registers_.set32(SOURCE(rounds), rounds_);
}

void SourceModel::write(uint32_t offset_bytes, uint32_t value) {
  switch (offset_bytes) {
    case kControlOffset:
      if ((value & kStart) != 0 && !runs_) start();
      return;
    case kStopOffset:
      if ((value & 1) != 0 && runs_) end();
      return;
    case SOURCE(gap_cycles):
      gap_cycles_ = value;
      registers_.set32(offset_bytes, value);
      return;
    default:
      break;
  }
  if (runs_) return;  // arguments change while it is idle alone
  switch (offset_bytes) {
    case SOURCE(base_address):
      value &= ~0xFFFu;
      base_address_ = (base_address_ & ~uint64_t{UINT32_MAX}) | value;
      break;
    case SOURCE(base_address) + 4:
      base_address_ = (base_address_ & UINT32_MAX) | uint64_t{value} << 32;
      break;
    case SOURCE(units):
      units_ = value;
      break;
    case SOURCE(rounds):
      rounds_ = value;
      break;
    default:
      return;
  }
  registers_.set32(offset_bytes, value);
}

void SourceModel::start() {
  registers_.set64(SOURCE(sent_packets), 0);
  registers_.set64(SOURCE(sent_bytes), 0);
  registers_.set32(SOURCE(status), 0);
  runs_ = true;
  started_ns_ = looked_ns_ = monotonic_ns();
  cycle_ = unit_ = 0;
  round_ = 0;
  next_ = FS_CAPTURE_BLOCK_COUNT;
  first_ = last_ = 0;
  has_damaged_ = false;
  reads_no_more_ = units_ == 0;
  registers_.set32(kControlOffset, kStart);
}

/** What was read and has not gone does not go any more. */
void SourceModel::end() {
  runs_ = false;
  registers_.set32(kControlOffset, kIdle | kDone | kReady);
}

Arrived SourceModel::arrived(uint64_t now_ns) {
  looked_ns_ = now_ns;
  if (!runs_) return {nullptr, nullptr, 0};
  if (first_ == last_) read_ahead();
  uint32_t due = first_;
  while (due < last_ && due_ns(due) <= now_ns) due++;
  return {memory_.at(0), packets_.data() + first_, due - first_};
}

bool SourceModel::sent(uint32_t count) {
  uint64_t bytes = 0;
  for (uint32_t i = first_; i < first_ + count; i++) bytes += packets_[i].wire_bytes;
  first_ += count;
  sent_in_all_ += count;
  this->count(SOURCE(sent_bytes), bytes);
  this->count(SOURCE(sent_packets), count);
  if (!runs_ || first_ < last_ || !reads_no_more_) return false;
  const bool sends_damaged = has_damaged_;
  if (sends_damaged) {
    sent_in_all_++;
    this->count(SOURCE(sent_bytes), damaged_bytes_);
    this->count(SOURCE(sent_packets), 1);
  }
  end();
  return sends_damaged;
}

void SourceModel::count(size_t offset_bytes, uint64_t more) {
  const uint32_t offset = static_cast<uint32_t>(offset_bytes);
  if (more != 0) registers_.set64(offset, registers_.get64(offset) + more);
}

uint64_t SourceModel::next_ns() const {
  if (!runs_) return UINT64_MAX;
  if (first_ == last_ || due_ns(first_) <= looked_ns_) return 0;
  // Not for each frame: those of a look together cost one waking.
  return due_ns(first_) + Wire::kLookNs;
}

// ---- Reading, a unit of 64 bytes in each cycle ----

void SourceModel::read_ahead() {
  first_ = last_ = 0;
  for (uint32_t units = 0; units < kMostUnitsAhead && last_ < Wire::kBatch && !reads_no_more_; units++) read_unit();
}

void SourceModel::read_unit() {
  const uint32_t length = next_length();
  if (length == 0) {
    read_lengths();
  } else {
    read_frame(length);
  }
}

void SourceModel::read_lengths() {
  cycle_++;
  if (refuses(unit_)) {
    fail(kReadFailed);
    return;
  }
  std::memcpy(&block_, memory_.at(base_address_ + unit_ * kUnitBytes), sizeof block_);
  next_ = 0;
  pass(1);
}

void SourceModel::read_frame(uint32_t length) {
  const uint64_t wanted = (length + kUnitBytes - 1) / kUnitBytes, left = units_ - unit_;
  const uint64_t there = std::min(wanted, left);
  for (uint64_t unit = 0; unit < there; unit++) {
    if (!refuses(unit_ + unit)) continue;
    end_damaged(std::min<uint64_t>(length, (unit + 1) * kUnitBytes));
    fail(kReadFailed);
    return;
  }
  if (there < wanted) {
    end_damaged(there * kUnitBytes);
    fail(kCutShort);
    return;
  }
  cycle_ += wanted;
  fs_raw_packet& packet = packets_[last_];
  packet = {};
  packet.data_offset = base_address_ + unit_ * kUnitBytes;
  packet.captured_bytes = packet.wire_bytes = length;
  packet.link_type = kLinkEthernet;
  due_cycles_[last_] = cycle_;
  last_++;
  cycle_ += gap_cycles_;
  next_++;
  pass(wanted);
}

/** A round ends where its units do; what was announced and is not there is missing. */
void SourceModel::pass(uint64_t units) {
  unit_ += units;
  if (unit_ < units_) return;
  if (next_length() != 0) fail(kCutShort);
  unit_ = 0;
  next_ = FS_CAPTURE_BLOCK_COUNT;
  round_++;
  if (rounds_ != 0 && round_ == rounds_) reads_no_more_ = true;
}

void SourceModel::fail(uint32_t status_bit) {
  reads_no_more_ = true;
  registers_.set32(SOURCE(status), registers_.get32(SOURCE(status)) | status_bit);
}

void SourceModel::end_damaged(uint64_t bytes) {
  has_damaged_ = true;
  damaged_bytes_ = bytes;
}

/** Behind the card's memory there is nothing. */
bool SourceModel::refuses(uint64_t unit) {
  const uint64_t offset = base_address_ + unit * kUnitBytes;
  if (offset < base_address_ || offset > kMemoryBytes - kUnitBytes) return true;
  for (FaultTrigger& fault : refused_reads_) {
    if (!fault.is_due(sent_in_all_ + (last_ - first_))) continue;
    count_fault(window_, FaultKind::kRefusedRead);
    return true;
  }
  return false;
}

}  // namespace flowstone::card
