/* SPDX-License-Identifier: Apache-2.0
 *
 * The parser library: raw packets in, 64-byte packet records out, records into rings, and records into the body of a
 * message.
 *
 * It allocates nothing, keeps no state of its own between calls, logs nothing and never fails on bad input: a packet it
 * cannot read becomes a record of kind OTHER that says why. Every function may be called from any number of threads at
 * once, as long as no two of them write the same records, ring targets or packer.
 *
 * The caller answers for the pointers: packets[i].data_offset and captured_bytes must lie inside the memory at base.
 * No byte outside a packet's captured bytes is read.
 */
#ifndef FLOWSTONE_H
#define FLOWSTONE_H

#include <stdint.h>

#include "flowstone/abi.h"

#if defined(__GNUC__)
#define FLOWSTONE_API __attribute__((visibility("default")))
#else
#define FLOWSTONE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* FS_ABI_DIGEST of the layouts this library was built with: compare before any other call. */
FLOWSTONE_API uint64_t flowstone_abi_digest(void);

/* Writes a record for each packet, in order, generation 0, kind never FREE, TIME or LOSS, walking as far as the profile
 * (FS_PARSE_PROFILE_*) says. Returns how many it wrote, which is count: for the books of a caller that takes nothing on
 * trust. */
FLOWSTONE_API uint32_t flowstone_parse(const uint8_t* base, const struct fs_raw_packet* packets, uint32_t count,
                                       uint32_t profile, struct fs_packet_record* records);

/* Copies records[first] to records[count - 1] into the rings that the key-group table names, in order, each with its
 * generation, and advances the targets. Stops before a record that needs the ring's writer: returns its index, with
 * the ring in *stopped_ring and why (FS_SCATTER_STOP_*) in *stop_reason. The writer puts things right in that target
 * and calls again with first = the index returned, or the next if it dropped that packet. Returns count, with reason
 * DONE, when every record is placed.
 *
 * A target's offered counts each packet when it meets its ring, whether it is placed or the scatter stops before it.
 * A packet that comes again was counted then: first_unmet is the first of this batch that no call has looked at, so 0,
 * and one more than the index returned after each stop.
 *
 * A target that is dropping does not stop the scatter: records without space, or that need a TIME record, are dropped.
 * The time of the latest is kept in last_dropped_ns; their number follows from offered_packets and position.
 *
 * A TIME record is asked for when the target has none yet (needs_time), when the packet's time is a second or more
 * away from the target's time base in either direction, and when trust in the clock changes (untimed); this is
 * looked at before room, so that a full ring still notes its steps of time.
 *
 * key_group_table has max_parallelism entries; targets has an entry for each ring the table names. Nothing is
 * published: the writer stores the ring's position after this returns. */
FLOWSTONE_API uint32_t flowstone_scatter(const struct fs_raw_packet* packets, const struct fs_packet_record* records,
                                         uint32_t first, uint32_t first_unmet, uint32_t count,
                                         const uint8_t* key_group_table, uint32_t max_parallelism,
                                         struct fs_ring_target* targets, uint32_t* stopped_ring, uint32_t* stop_reason);

/* A packer writes packet batches' columnar bodies (packet_columns) of up to max_packets packets each. It is memory of
 * the caller's: so many bytes, beginning at a multiple of 64. max_packets is 1 to FS_PACKET_COLUMNS_HEADER_MAX_PACKETS.
 */
FLOWSTONE_API uint64_t flowstone_packer_bytes(uint32_t max_packets);

/* How many random numbers flowstone_packer_make takes: none that a sender of packets can know, so that nobody can
 * choose flows that lie in one another's way. */
FLOWSTONE_API uint32_t flowstone_packer_secret_numbers(void);

/* Makes a packer of that memory. */
FLOWSTONE_API void flowstone_packer_make(void* packer, uint32_t max_packets, const uint64_t* secret);

/* Begins a body of count packets. time_base_low is the low half of the batch's time_base_ns. */
FLOWSTONE_API void flowstone_pack_begin(void* packer, uint32_t count, uint32_t time_base_low);

/* Adds the next packets of the body, no more in all than were announced. What the records are changes nothing about
 * what is read and written: any bytes will do, as long as they stay the same during the call.
 *
 * upcoming is where as many records will be copied from for the next call, or NULL: its cache lines are asked for
 * meanwhile. Nothing is read there, so any address will do, also of memory that is there no more. */
FLOWSTONE_API void flowstone_pack_add(void* packer, const struct fs_packet_record* records, uint32_t count,
                                      const void* upcoming);

/* Writes the body when all packets were added, and returns how many bytes it has; 0 when one of the records is no
 * packet. The body has room for flowstone_body_bytes(count). */
FLOWSTONE_API uint64_t flowstone_pack_end(void* packer, uint8_t* body);

/* What flowstone_pack_end may write to for so many packets: more than any body has. */
FLOWSTONE_API uint64_t flowstone_body_bytes(uint32_t packets);

/* Flink's key group of a key whose hashCode() is flow_hash. 0 when max_parallelism is 0. */
FLOWSTONE_API uint32_t flowstone_key_group(uint32_t flow_hash, uint32_t max_parallelism);

/* The flow hash that belongs to a record's addresses, ports and protocol; 0 for a record without a 5-tuple. */
FLOWSTONE_API uint32_t flowstone_flow_hash(const struct fs_packet_record* record);

#ifdef __cplusplus
}
#endif
#endif
