// SPDX-License-Identifier: Apache-2.0
//
// Records into rings: the last step of every tap.
#include "flowstone.h"
#include "key_group.hpp"

namespace flowstone {
namespace {

// A record keeps 32 bits of its time, so the base must be near; a second leaves room on both sides.
constexpr uint64_t MOST_NS_FROM_BASE = 1'000'000'000;
constexpr uint16_t UNTIMED_FLAG = 1;
constexpr uint64_t GENERATIONS = 7;

bool needs_time(const fs_ring_target& target, const fs_raw_packet& packet) {
    uint64_t distance = packet.time_ns - target.time_base_ns + (MOST_NS_FROM_BASE - 1);
    bool far = distance > 2 * (MOST_NS_FROM_BASE - 1);
    return far || target.needs_time || (packet.flags & UNTIMED_FLAG) != target.untimed;
}

void put(fs_ring_target& target, const fs_raw_packet& packet, const fs_packet_record& record) {
    uint64_t slot = target.position & ((uint64_t{1} << target.slots_log2) - 1);
    uint64_t generation = (target.position >> target.slots_log2) % GENERATIONS + 1;
    fs_packet_record& place = reinterpret_cast<fs_packet_record*>(target.slots_address)[slot];
    place = record;
    place.descriptor |= static_cast<uint32_t>(generation) << FS_PACKET_RECORD_GENERATION_SHIFT;
    target.position++;
    target.written_packets++;
    target.written_bytes += packet.wire_bytes;
    target.saturated_lengths += packet.wire_bytes > FS_PACKET_RECORD_FRAME_LENGTH_MASK;
}

}  // namespace
}  // namespace flowstone

extern "C" uint32_t flowstone_scatter(const fs_raw_packet* packets, const fs_packet_record* records,
                                      uint32_t first, uint32_t count,
                                      const uint8_t* key_group_table, uint32_t max_parallelism,
                                      fs_ring_target* targets, uint32_t* stopped_ring,
                                      uint32_t* stop_reason) {
    using namespace flowstone;
    for (uint32_t i = first; i < count; i++) {
        uint32_t ring = key_group_table[key_group(records[i].flow_hash, max_parallelism)];
        fs_ring_target& target = targets[ring];
        bool time = needs_time(target, packets[i]);
        if (time || target.position >= target.limit) {
            *stopped_ring = ring;
            *stop_reason = time ? FLOWSTONE_STOP_NEEDS_TIME : FLOWSTONE_STOP_NO_ROOM;
            return i;
        }
        put(target, packets[i], records[i]);
    }
    *stop_reason = FLOWSTONE_STOP_DONE;
    return count;
}
