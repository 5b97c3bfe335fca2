// SPDX-License-Identifier: Apache-2.0
//
// The parser library's C interface: frames in, packet records out, records into rings.
// Layouts: flowstone/abi.h. No call allocates, keeps anything or fails; all are thread-safe.
#pragma once

#include "flowstone/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

// How deep flowstone_parse looks.
enum { FLOWSTONE_PROFILE_SOFTWARE = 0, FLOWSTONE_PROFILE_CARD = 1 };

// Why flowstone_scatter stopped.
enum { FLOWSTONE_STOP_DONE = 0, FLOWSTONE_STOP_NEEDS_TIME = 1, FLOWSTONE_STOP_NO_ROOM = 2 };

// The layout version that both sides must share.
uint32_t flowstone_abi_version(void);

// Describes count frames. Every record is complete but for its generation, which depends on the slot.
void flowstone_parse(const uint8_t* base, const struct fs_raw_packet* packets, uint32_t count,
                     uint32_t profile, struct fs_packet_record* records);

// Copies records[first..count) into the rings that the table names. Stops before a record whose ring
// needs its writer (a TIME record, room) and says which ring and why; returns the index it stopped at.
uint32_t flowstone_scatter(const struct fs_raw_packet* packets,
                           const struct fs_packet_record* records, uint32_t first, uint32_t count,
                           const uint8_t* key_group_table, uint32_t max_parallelism,
                           struct fs_ring_target* targets, uint32_t* stopped_ring,
                           uint32_t* stop_reason);

// Flink's key group of a flow hash: KeyGroupRangeAssignment.assignToKeyGroup.
uint32_t flowstone_key_group(uint32_t flow_hash, uint32_t max_parallelism);

// The flow hash of a record's tuple; 0 when it has none.
uint32_t flowstone_flow_hash(const struct fs_packet_record* record);

#ifdef __cplusplus
}
#endif
