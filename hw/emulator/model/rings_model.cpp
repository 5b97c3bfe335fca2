// SPDX-License-Identifier: Apache-2.0
#include "rings_model.hpp"

#include <algorithm>

#include "flowstone.h"

namespace flowstone::card {
namespace {

#define RINGS(field) static_cast<uint32_t>(offsetof(fs_card_ring_registers, field))
#define RING(ring, field) ring_offset(ring, offsetof(fs_card_ring_state, field))

constexpr uint32_t kBuild = 0x20261125;
constexpr uint32_t kDefaultFlushCycles = 256;
constexpr uint64_t kTimeIntervalSlots = 65536;
constexpr uint64_t kFreeBehindPacket = FS_RING_FILE_HEADER_RESERVED_SLOTS;
constexpr uint64_t kFreeBehindControl = 2;
constexpr uint32_t kFull = FS_CARD_RING_STATE_FULL_MASK << FS_CARD_RING_STATE_FULL_SHIFT;
constexpr uint32_t kWriteFailed = FS_CARD_RING_STATE_WRITE_FAILED_MASK << FS_CARD_RING_STATE_WRITE_FAILED_SHIFT;

uint64_t slots_of(const fs_ring_target& target) { return uint64_t{1} << target.slots_log2; }

}  // namespace

RingsModel::RingsModel(RegisterFile registers, DeviceMemory& memory, const std::vector<FaultSpec>& faults, FaultWindow& window)
    : registers_(registers), memory_(memory), slot_faults_(faults, window) {
  registers_.set32(kControlOffset, kIdle);
  registers_.set32(kMagicOffset, FS_CARD_RING_REGISTERS_MAGIC);
  registers_.set32(kVersionOffset, FS_CARD_RING_REGISTERS_VERSION);
  registers_.set32(kBuildOffset, kBuild);
  registers_.set32(RINGS(slots_log2), slots_log2_);
  registers_.set32(RINGS(flush_cycles), kDefaultFlushCycles);
}

void RingsModel::write(uint32_t offset_bytes, uint32_t value) {
  const bool is_base = offset_bytes >= RINGS(base_addresses) && offset_bytes < RINGS(slots_log2);
  if (offset_bytes == kControlOffset) {
    if ((value & kStart) != 0 && !runs_) start();
  } else if (offset_bytes == kStopOffset) {
    if ((value & 1) != 0 && runs_) stop();
  } else if (offset_bytes == RINGS(flush_cycles)) {
    registers_.set32(offset_bytes, value);  // no burst of the model waits for anything
  } else if (is_base && !runs_) {
    registers_.set32(offset_bytes, offset_bytes % 8 == 0 ? value & ~uint32_t{kPageBytes - 1} : value);
  } else if (offset_bytes == RINGS(slots_log2) && !runs_) {
    slots_log2_ = std::clamp(value, FS_CARD_RING_REGISTERS_LEAST_SLOTS_LOG2, FS_CARD_RING_REGISTERS_MOST_SLOTS_LOG2);
    registers_.set32(offset_bytes, slots_log2_);
  } else if (offset_bytes == RINGS(ring_count) && !runs_) {
    ring_count_ = std::min(value, kRings);
    registers_.set32(offset_bytes, ring_count_);
  }
}

void RingsModel::start() {
  for (uint32_t ring = 0; ring < kRings; ring++) begin(ring);
  slot_faults_.begin();
  misdirected_packets_ = 0;
  discarded_packets_ = 0;
  is_port_known_ = {};
  waits_ = false;
  runs_ = true;
  registers_.set64(RINGS(misdirected_packets), 0);
  registers_.set64(RINGS(discarded_packets), 0);
  registers_.set32(kControlOffset, kStart);
}

void RingsModel::begin(uint32_t ring) {
  const uint64_t address = registers_.get64(offset_of_base(ring));
  const uint64_t bytes = sizeof(fs_packet_record) << slots_log2_;
  const bool is_there = address <= kMemoryBytes && bytes <= kMemoryBytes - address;
  if (!is_there && ring < ring_count_) nowhere_.resize(bytes);
  books_[ring] = {};
  books_[ring].write_failed = !is_there;
  targets_[ring] = {};
  targets_[ring].slots_address = reinterpret_cast<uint64_t>(is_there ? memory_.at(address) : nowhere_.data());
  targets_[ring].slots_log2 = static_cast<uint8_t>(slots_log2_);
  targets_[ring].needs_time = 1;
  registers_.set64(RING(ring, head), 0);
  registers_.set32(RING(ring, credit), 0);
  show_counters(ring);
  refresh_limit(ring);
}

void RingsModel::stop() {
  for (uint32_t ring = 0; ring < ring_count_; ring++) {
    tell_loss(ring);
    const bool is_timed = targets_[ring].needs_time == 0;
    if (is_timed || is_any_port_known()) tell_time(ring, is_timed ? targets_[ring].time_base_ns : settled_ns(), 0);
  }
  publish();
  runs_ = false;
  registers_.set32(kControlOffset, kIdle | kDone | kReady);
}

uint32_t RingsModel::take(uint32_t port, const TapModel& tap, const Parsed& parsed, bool may_wait) {
  if (parsed.count == 0) return 0;
  if (!runs_) {
    discarded_packets_ += parsed.count;
    registers_.set64(RINGS(discarded_packets), discarded_packets_);
    return parsed.count;
  }
  uint32_t index = 0, first_unmet = 0;
  while (index < parsed.count) {
    uint32_t ring = 0, reason = 0;
    index = flowstone_scatter(parsed.packets, parsed.records, index, first_unmet, parsed.count, tap.ring_of_key_group(),
                              tap.max_parallelism(), targets_.data(), &ring, &reason);
    if (index == parsed.count) break;
    first_unmet = index + 1;
    const Fate fate = deal(ring, parsed.packets[index], may_wait);
    if (fate == Fate::kWait) break;
    if (fate == Fate::kDrop) index++;
  }
  if (index > 0) {
    port_ns_[port] = parsed.packets[index - 1].time_ns;
    is_port_known_[port] = true;
  }
  return index;
}

bool RingsModel::waits_for_room() {
  if (!runs_ || !waits_) return false;
  refresh_credit(waited_for_);
  // For LOSS and TIME as well: whether the packet needs them, this does not know.
  waits_ = !has_room(waited_for_, 3 + kFreeBehindPacket);
  return waits_;
}

/** A packet that scatter has counted as offered and left to us. */
RingsModel::Fate RingsModel::deal(uint32_t ring, const fs_raw_packet& packet, bool may_wait) {
  fs_ring_target& target = targets_[ring];
  if (ring >= ring_count_) {
    target.offered_packets = 0;
    target.offered_bytes = 0;
    misdirected_packets_++;
    return Fate::kDrop;
  }
  refresh_credit(ring);
  const bool needs = needs_time(ring, packet.time_ns);
  const uint64_t untold = books_[ring].lost_packets > 0 ? 1 : 0;
  if (has_room(ring, untold + (needs ? 1 : 0) + 1 + kFreeBehindPacket)) {
    tell_loss(ring);
    if (needs) tell_time(ring, packet.time_ns, 1);
    books_[ring].is_full = false;
    refresh_limit(ring);
    return Fate::kPlace;
  }
  if (may_wait) {
    target.offered_packets--;
    target.offered_bytes -= packet.wire_bytes;
    waits_ = true;
    waited_for_ = ring;
    return Fate::kWait;
  }
  drop(ring, packet);
  return Fate::kDrop;
}

void RingsModel::drop(uint32_t ring, const fs_raw_packet& packet) {
  Books& books = books_[ring];
  if (books.lost_packets == 0) books.first_lost_ns = packet.time_ns;
  books.last_lost_ns = packet.time_ns;
  books.lost_packets++;
  books.dropped_packets++;
  books.is_full = true;
  refresh_limit(ring);
}

/** A LOSS record takes a slot too, so the time may be needed only because of it. */
bool RingsModel::needs_time(uint32_t ring, uint64_t time_ns) const {
  const fs_ring_target& target = targets_[ring];
  const uint64_t base_ns = target.time_base_ns;
  const uint64_t distance_ns = time_ns > base_ns ? time_ns - base_ns : base_ns - time_ns;
  const uint64_t untold = books_[ring].lost_packets > 0 ? 1 : 0;
  return target.needs_time != 0 || distance_ns >= FS_TIME_RECORD_STEP_NS ||
         target.position + untold >= books_[ring].time_position + kTimeIntervalSlots;
}

void RingsModel::tick(uint32_t port, uint64_t time_ns) {
  if (!runs_) return;
  port_ns_[port] = time_ns;
  is_port_known_[port] = true;
  const uint64_t settled = settled_ns();
  for (uint32_t ring = 0; ring < ring_count_; ring++) {
    const fs_ring_target& target = targets_[ring];
    const bool is_due = target.needs_time != 0 ||
                        (settled > target.time_base_ns && settled - target.time_base_ns >= FS_TIME_RECORD_INTERVAL_NS);
    if (!is_due) continue;
    refresh_credit(ring);
    if (!has_room(ring, 1 + (books_[ring].lost_packets > 0 ? 1 : 0) + kFreeBehindControl)) continue;
    tell_loss(ring);
    tell_time(ring, settled, 0);
    refresh_limit(ring);
  }
}

uint64_t RingsModel::settled_ns() const {
  if (!is_port_known_[0] || !is_port_known_[1]) return port_ns_[is_port_known_[0] ? 0 : 1];
  return std::min(port_ns_[0], port_ns_[1]);
}

bool RingsModel::has_room(uint32_t ring, uint64_t slots) {
  return targets_[ring].position + slots <= books_[ring].credit + slots_of(targets_[ring]);
}

/** The register has the low word; the credit is the position below the head that has it. */
void RingsModel::refresh_credit(uint32_t ring) {
  const uint64_t head = books_[ring].published_position;
  books_[ring].credit = head - (static_cast<uint32_t>(head) - registers_.get32(RING(ring, credit)));
}

/** Up to here scatter may go on without asking. */
void RingsModel::refresh_limit(uint32_t ring) {
  fs_ring_target& target = targets_[ring];
  const Books& books = books_[ring];
  const uint64_t room = books.credit + slots_of(target) - kFreeBehindPacket;
  const bool must_ask = ring >= ring_count_ || books.lost_packets > 0;
  target.limit = must_ask ? 0 : std::min(room, books.time_position + kTimeIntervalSlots);
}

void RingsModel::tell_loss(uint32_t ring) {
  Books& books = books_[ring];
  if (books.lost_packets == 0) return;
  fs_loss_record record = {};
  record.lost_packets = books.lost_packets;
  record.first_lost_ns = books.first_lost_ns;
  record.last_lost_ns = books.last_lost_ns;
  record.dropped_packets = books.dropped_packets;
  put(ring, record, FS_RECORD_KIND_LOSS);
  books.lost_recorded += books.lost_packets;
  books.lost_packets = 0;
}

/** met_packets: those that were offered, but come after this record. */
void RingsModel::tell_time(uint32_t ring, uint64_t time_ns, uint64_t met_packets) {
  fs_ring_target& target = targets_[ring];
  fs_time_record record = {};
  record.time_ns = time_ns;
  record.offered_packets = target.offered_packets - met_packets;
  record.written_packets = written_packets(ring);
  record.dropped_packets = books_[ring].dropped_packets;
  record.clock_trusted = 1;
  books_[ring].time_position = target.position;
  put(ring, record, FS_RECORD_KIND_TIME);
  target.time_base_ns = time_ns;
  target.needs_time = 0;
}

template <typename Record>
void RingsModel::put(uint32_t ring, Record& record, uint32_t kind) {
  static_assert(sizeof record == sizeof(fs_packet_record));
  fs_ring_target& target = targets_[ring];
  const uint64_t generation = (target.position >> target.slots_log2) % FS_PACKET_RECORD_GENERATIONS + 1;
  record.descriptor = kind << FS_PACKET_RECORD_KIND_SHIFT | static_cast<uint32_t>(generation) << FS_PACKET_RECORD_GENERATION_SHIFT;
  const uint64_t index = target.position & (slots_of(target) - 1);
  std::memcpy(reinterpret_cast<uint8_t*>(target.slots_address) + index * sizeof record, &record, sizeof record);
  target.position++;
  books_[ring].control_records++;
}

void RingsModel::publish() {
  if (!runs_) return;
  registers_.set64(RINGS(misdirected_packets), misdirected_packets_);
  for (uint32_t ring = 0; ring < ring_count_; ring++) {
    const Books& books = books_[ring];
    if (targets_[ring].position != books.published_position || targets_[ring].offered_packets != books.published_offered) publish(ring);
  }
}

void RingsModel::publish(uint32_t ring) {
  Books& books = books_[ring];
  fs_ring_target& target = targets_[ring];
  if (!slot_faults_.is_empty() && target.position != books.published_position && !books.write_failed) {
    books.write_failed = slot_faults_.before_head(ring, target, written_packets(ring), books.published_position);
  }
  show_counters(ring);
  books.published_offered = target.offered_packets;
  if (books.write_failed) return;
  books.published_position = target.position;
  registers_.set64(RING(ring, head), target.position);  // release: the slots are in memory
}

void RingsModel::show_counters(uint32_t ring) {
  const Books& books = books_[ring];
  const fs_ring_target& target = targets_[ring];
  registers_.set32(RING(ring, status), (books.is_full ? kFull : 0) | (books.write_failed ? kWriteFailed : 0));
  registers_.set64(RING(ring, offered_packets), target.offered_packets);
  registers_.set64(RING(ring, offered_bytes), target.offered_bytes);
  registers_.set64(RING(ring, written_packets), written_packets(ring));
  registers_.set64(RING(ring, dropped_packets), books.dropped_packets);
  registers_.set64(RING(ring, lost_recorded), books.lost_recorded);
}

}  // namespace flowstone::card
