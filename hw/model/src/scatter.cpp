// SPDX-License-Identifier: Apache-2.0
#include "scatter.hpp"

#include "key_group.hpp"

namespace flowstone {
namespace {

// A record keeps 32 bits of the time, 4.3 s: the step must leave room for records out of order around the base.
static_assert(FS_TIME_RECORD_STEP_NS < uint64_t{1} << 31, "time_low tells less than 2^31 ns in either direction");

/** Counts what the ring is offered, before it is known what becomes of it. */
inline void meet(const fs_raw_packet& packet, fs_ring_target& target) {
  target.offered_packets++;
  target.offered_bytes += packet.wire_bytes;
}

inline bool needs_time(const fs_raw_packet& packet, const fs_ring_target& target) {
  const uint64_t distance_ns = packet.time_ns > target.time_base_ns ? packet.time_ns - target.time_base_ns
                                                                    : target.time_base_ns - packet.time_ns;
  const uint32_t untimed = (packet.flags & FS_RAW_PACKET_FLAG_UNTIMED) != 0;
  return (target.needs_time != 0) | (distance_ns >= FS_TIME_RECORD_STEP_NS) | (untimed != target.untimed);
}

/** What keeps the packet from its place: FS_SCATTER_STOP_*, DONE for nothing. */
inline uint32_t obstacle(const fs_raw_packet& packet, const fs_ring_target& target) {
  if (__builtin_expect(needs_time(packet, target), 0)) return FS_SCATTER_STOP_NEEDS_TIME;
  if (__builtin_expect(target.position >= target.limit, 0)) return FS_SCATTER_STOP_NO_ROOM;
  return FS_SCATTER_STOP_DONE;
}

/** From 1 on, one more each time round the ring: memory that was never written (0) and the last round's never match. */
inline uint32_t generation(uint64_t position, uint32_t slots_log2) {
  return static_cast<uint32_t>((position >> slots_log2) % FS_PACKET_RECORD_GENERATIONS) + 1;
}

inline fs_packet_record* slot(const fs_ring_target& target) {
  const uint64_t index = target.position & ((uint64_t{1} << target.slots_log2) - 1);
  return reinterpret_cast<fs_packet_record*>(target.slots_address) + index;
}

inline void place(const fs_raw_packet& packet, const fs_packet_record& record, fs_ring_target& target) {
  constexpr uint32_t kNoGeneration = ~(FS_PACKET_RECORD_GENERATION_MASK << FS_PACKET_RECORD_GENERATION_SHIFT);
  const uint32_t tag = generation(target.position, target.slots_log2) << FS_PACKET_RECORD_GENERATION_SHIFT;
  fs_packet_record* destination = slot(target);
  *destination = record;
  destination->descriptor = (record.descriptor & kNoGeneration) | tag;
  target.position++;
  target.saturated_lengths += length_saturates(packet);
}

}  // namespace

ScatterStop scatter(const fs_raw_packet* packets, const fs_packet_record* records, uint32_t first, uint32_t first_unmet,
                    uint32_t count, const KeyGroupTable& table, fs_ring_target* targets) {
  for (uint32_t index = first; index < count; index++) {
    const uint32_t ring = table.ring_of_key_group[key_group(records[index].flow_hash, table.max_parallelism)];
    fs_ring_target& target = targets[ring];
    if (__builtin_expect(index >= first_unmet, 1)) {
      meet(packets[index], target);
    }
    const uint32_t reason = obstacle(packets[index], target);
    if (__builtin_expect(reason == FS_SCATTER_STOP_DONE, 1)) {
      place(packets[index], records[index], target);
    } else if (target.dropping) {
      target.last_dropped_ns = packets[index].time_ns;
    } else {
      return {index, ring, reason};
    }
  }
  return {count, 0, FS_SCATTER_STOP_DONE};
}

}  // namespace flowstone
