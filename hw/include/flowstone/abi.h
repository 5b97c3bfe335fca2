// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdint.h>
#include <stddef.h>
#ifdef __cplusplus
#define FS_ASSERT static_assert
#else
#define FS_ASSERT _Static_assert
#endif
struct fs_loss_record {
  uint64_t lost_packets;
  uint64_t first_lost_ns;
  uint64_t last_lost_ns;
  uint64_t dropped_packets;
  uint8_t reserved_32[28];
  uint32_t descriptor;
};
FS_ASSERT(sizeof(struct fs_loss_record) == 64, "size");
FS_ASSERT(offsetof(struct fs_loss_record, lost_packets) == 0, "lost_packets");
FS_ASSERT(offsetof(struct fs_loss_record, first_lost_ns) == 8, "first_lost_ns");
FS_ASSERT(offsetof(struct fs_loss_record, last_lost_ns) == 16, "last_lost_ns");
FS_ASSERT(offsetof(struct fs_loss_record, dropped_packets) == 24, "dropped_packets");
FS_ASSERT(offsetof(struct fs_loss_record, reserved_32) == 32, "reserved_32");
FS_ASSERT(offsetof(struct fs_loss_record, descriptor) == 60, "descriptor");
#define FS_PACKET_BATCH_HEADER_MAGIC 0x42505346u
#define FS_PACKET_BATCH_HEADER_VERSION 1u
struct fs_packet_batch_header {
  uint32_t magic;
  uint16_t version;
  uint8_t body_kind;
  uint8_t record_bytes;
  uint32_t count;
  uint16_t ring;
  uint16_t rule;
  uint64_t incarnation;
  uint64_t first_position;
  uint32_t position_span;
  uint32_t sampling_weight;
  uint64_t time_base_ns;
  uint64_t lost_before;
  uint32_t flags;
  uint32_t checksum;
};
FS_ASSERT(sizeof(struct fs_packet_batch_header) == 64, "size");
FS_ASSERT(offsetof(struct fs_packet_batch_header, magic) == 0, "magic");
FS_ASSERT(offsetof(struct fs_packet_batch_header, version) == 4, "version");
FS_ASSERT(offsetof(struct fs_packet_batch_header, body_kind) == 6, "body_kind");
FS_ASSERT(offsetof(struct fs_packet_batch_header, record_bytes) == 7, "record_bytes");
FS_ASSERT(offsetof(struct fs_packet_batch_header, count) == 8, "count");
FS_ASSERT(offsetof(struct fs_packet_batch_header, ring) == 12, "ring");
FS_ASSERT(offsetof(struct fs_packet_batch_header, rule) == 14, "rule");
FS_ASSERT(offsetof(struct fs_packet_batch_header, incarnation) == 16, "incarnation");
FS_ASSERT(offsetof(struct fs_packet_batch_header, first_position) == 24, "first_position");
FS_ASSERT(offsetof(struct fs_packet_batch_header, position_span) == 32, "position_span");
FS_ASSERT(offsetof(struct fs_packet_batch_header, sampling_weight) == 36, "sampling_weight");
FS_ASSERT(offsetof(struct fs_packet_batch_header, time_base_ns) == 40, "time_base_ns");
FS_ASSERT(offsetof(struct fs_packet_batch_header, lost_before) == 48, "lost_before");
FS_ASSERT(offsetof(struct fs_packet_batch_header, flags) == 56, "flags");
FS_ASSERT(offsetof(struct fs_packet_batch_header, checksum) == 60, "checksum");
struct fs_packet_record {
  uint32_t time_low;
  uint32_t flow_hash;
  uint8_t source_address[16];
  uint8_t destination_address[16];
  uint16_t source_port;
  uint16_t destination_port;
  uint32_t sequence;
  uint32_t acknowledgement;
  uint16_t tcp_window;
  uint16_t payload_length;
  uint8_t protocol;
  uint8_t tcp_flags;
  uint8_t type_of_service;
  uint8_t time_to_live;
  uint32_t descriptor;
};
#define FS_PACKET_RECORD_FRAME_LENGTH_SHIFT 0
#define FS_PACKET_RECORD_FRAME_LENGTH_MASK 0x7ffffu
#define FS_PACKET_RECORD_TRAFFIC_CLASS_SHIFT 19
#define FS_PACKET_RECORD_TRAFFIC_CLASS_MASK 0x1fu
#define FS_PACKET_RECORD_LATER_FRAGMENT_SHIFT 24
#define FS_PACKET_RECORD_LATER_FRAGMENT_MASK 0x1u
#define FS_PACKET_RECORD_INGRESS_PORT_SHIFT 25
#define FS_PACKET_RECORD_INGRESS_PORT_MASK 0x1u
#define FS_PACKET_RECORD_KIND_SHIFT 26
#define FS_PACKET_RECORD_KIND_MASK 0x7u
#define FS_PACKET_RECORD_GENERATION_SHIFT 29
#define FS_PACKET_RECORD_GENERATION_MASK 0x7u
FS_ASSERT(sizeof(struct fs_packet_record) == 64, "size");
FS_ASSERT(offsetof(struct fs_packet_record, time_low) == 0, "time_low");
FS_ASSERT(offsetof(struct fs_packet_record, flow_hash) == 4, "flow_hash");
FS_ASSERT(offsetof(struct fs_packet_record, source_address) == 8, "source_address");
FS_ASSERT(offsetof(struct fs_packet_record, destination_address) == 24, "destination_address");
FS_ASSERT(offsetof(struct fs_packet_record, source_port) == 40, "source_port");
FS_ASSERT(offsetof(struct fs_packet_record, destination_port) == 42, "destination_port");
FS_ASSERT(offsetof(struct fs_packet_record, sequence) == 44, "sequence");
FS_ASSERT(offsetof(struct fs_packet_record, acknowledgement) == 48, "acknowledgement");
FS_ASSERT(offsetof(struct fs_packet_record, tcp_window) == 52, "tcp_window");
FS_ASSERT(offsetof(struct fs_packet_record, payload_length) == 54, "payload_length");
FS_ASSERT(offsetof(struct fs_packet_record, protocol) == 56, "protocol");
FS_ASSERT(offsetof(struct fs_packet_record, tcp_flags) == 57, "tcp_flags");
FS_ASSERT(offsetof(struct fs_packet_record, type_of_service) == 58, "type_of_service");
FS_ASSERT(offsetof(struct fs_packet_record, time_to_live) == 59, "time_to_live");
FS_ASSERT(offsetof(struct fs_packet_record, descriptor) == 60, "descriptor");
struct fs_raw_packet {
  uint64_t data_offset;
  uint64_t time_ns;
  uint32_t captured_bytes;
  uint32_t wire_bytes;
  uint16_t link_type;
  uint16_t flags;
  uint8_t reserved_28[4];
};
FS_ASSERT(sizeof(struct fs_raw_packet) == 32, "size");
FS_ASSERT(offsetof(struct fs_raw_packet, data_offset) == 0, "data_offset");
FS_ASSERT(offsetof(struct fs_raw_packet, time_ns) == 8, "time_ns");
FS_ASSERT(offsetof(struct fs_raw_packet, captured_bytes) == 16, "captured_bytes");
FS_ASSERT(offsetof(struct fs_raw_packet, wire_bytes) == 20, "wire_bytes");
FS_ASSERT(offsetof(struct fs_raw_packet, link_type) == 24, "link_type");
FS_ASSERT(offsetof(struct fs_raw_packet, flags) == 26, "flags");
FS_ASSERT(offsetof(struct fs_raw_packet, reserved_28) == 28, "reserved_28");
struct fs_ring_target {
  uint64_t slots_address;
  uint64_t position;
  uint64_t limit;
  uint64_t time_base_ns;
  uint32_t slots_log2;
  uint32_t needs_time;
  uint32_t untimed;
  uint32_t saturated_lengths;
  uint64_t written_packets;
  uint64_t written_bytes;
};
FS_ASSERT(sizeof(struct fs_ring_target) == 64, "size");
FS_ASSERT(offsetof(struct fs_ring_target, slots_address) == 0, "slots_address");
FS_ASSERT(offsetof(struct fs_ring_target, position) == 8, "position");
FS_ASSERT(offsetof(struct fs_ring_target, limit) == 16, "limit");
FS_ASSERT(offsetof(struct fs_ring_target, time_base_ns) == 24, "time_base_ns");
FS_ASSERT(offsetof(struct fs_ring_target, slots_log2) == 32, "slots_log2");
FS_ASSERT(offsetof(struct fs_ring_target, needs_time) == 36, "needs_time");
FS_ASSERT(offsetof(struct fs_ring_target, untimed) == 40, "untimed");
FS_ASSERT(offsetof(struct fs_ring_target, saturated_lengths) == 44, "saturated_lengths");
FS_ASSERT(offsetof(struct fs_ring_target, written_packets) == 48, "written_packets");
FS_ASSERT(offsetof(struct fs_ring_target, written_bytes) == 56, "written_bytes");
struct fs_ring_lineage {
  uint64_t incarnation;
  uint64_t offered_packets;
};
FS_ASSERT(sizeof(struct fs_ring_lineage) == 16, "size");
FS_ASSERT(offsetof(struct fs_ring_lineage, incarnation) == 0, "incarnation");
FS_ASSERT(offsetof(struct fs_ring_lineage, offered_packets) == 8, "offered_packets");
struct fs_ring_lane {
  uint64_t claim;
  uint8_t reserved_8[56];
  uint64_t claimed_ns;
  uint32_t reader_pid;
  uint8_t reserved_76[4];
  uint8_t name[48];
};
#define FS_RING_LANE_RELEASED_POSITION_SHIFT 0
#define FS_RING_LANE_RELEASED_POSITION_MASK UINT64_C(0xffffffffffff)
#define FS_RING_LANE_MODE_SHIFT 48
#define FS_RING_LANE_MODE_MASK UINT64_C(0x3)
#define FS_RING_LANE_EPOCH_SHIFT 50
#define FS_RING_LANE_EPOCH_MASK UINT64_C(0x3fff)
FS_ASSERT(sizeof(struct fs_ring_lane) == 128, "size");
FS_ASSERT(offsetof(struct fs_ring_lane, claim) == 0, "claim");
FS_ASSERT(offsetof(struct fs_ring_lane, reserved_8) == 8, "reserved_8");
FS_ASSERT(offsetof(struct fs_ring_lane, claimed_ns) == 64, "claimed_ns");
FS_ASSERT(offsetof(struct fs_ring_lane, reader_pid) == 72, "reader_pid");
FS_ASSERT(offsetof(struct fs_ring_lane, reserved_76) == 76, "reserved_76");
FS_ASSERT(offsetof(struct fs_ring_lane, name) == 80, "name");
#define FS_RING_FILE_HEADER_MAGIC UINT64_C(0x474e4952574f4c46)
#define FS_RING_FILE_HEADER_ABI_VERSION 1u
#define FS_RING_FILE_HEADER_HEADER_BYTES 65536u
#define FS_RING_FILE_HEADER_MAX_KEY_GROUPS 32768u
#define FS_RING_FILE_HEADER_MAX_RINGS 256u
#define FS_RING_FILE_HEADER_LANE_COUNT 8u
#define FS_RING_FILE_HEADER_CONTROL_INDEX_ENTRIES 256u
#define FS_RING_FILE_HEADER_LINEAGE_ENTRIES 8u
#define FS_RING_FILE_HEADER_RESERVED_SLOTS 4u
struct fs_ring_file_header {
  uint64_t magic;
  uint32_t abi_version;
  uint32_t content;
  uint32_t ring;
  uint32_t ring_count;
  uint64_t incarnation;
  uint32_t slots_log2;
  uint32_t clock;
  uint32_t max_parallelism;
  uint32_t lineage_count;
  uint64_t created_ns;
  uint32_t producer_pid;
  uint8_t reserved_60[4];
  uint8_t tap_name[64];
  uint64_t position;
  uint64_t reserved_position;
  uint64_t control_count;
  uint32_t state;
  uint8_t reserved_156[36];
  uint64_t offered_packets;
  uint64_t written_packets;
  uint64_t dropped_packets;
  uint64_t lost_recorded;
  uint64_t saturated_lengths;
  uint64_t latest_time_ns;
  uint64_t offered_bytes;
  uint8_t reserved_248[72];
  struct fs_ring_lineage lineage[8];
  struct fs_ring_lane lanes[8];
  uint8_t reserved_1472[576];
  uint64_t control_index[256];
  uint8_t key_group_table[32768];
  uint8_t reserved_36864[28672];
};
FS_ASSERT(sizeof(struct fs_ring_file_header) == 65536, "size");
FS_ASSERT(offsetof(struct fs_ring_file_header, magic) == 0, "magic");
FS_ASSERT(offsetof(struct fs_ring_file_header, abi_version) == 8, "abi_version");
FS_ASSERT(offsetof(struct fs_ring_file_header, content) == 12, "content");
FS_ASSERT(offsetof(struct fs_ring_file_header, ring) == 16, "ring");
FS_ASSERT(offsetof(struct fs_ring_file_header, ring_count) == 20, "ring_count");
FS_ASSERT(offsetof(struct fs_ring_file_header, incarnation) == 24, "incarnation");
FS_ASSERT(offsetof(struct fs_ring_file_header, slots_log2) == 32, "slots_log2");
FS_ASSERT(offsetof(struct fs_ring_file_header, clock) == 36, "clock");
FS_ASSERT(offsetof(struct fs_ring_file_header, max_parallelism) == 40, "max_parallelism");
FS_ASSERT(offsetof(struct fs_ring_file_header, lineage_count) == 44, "lineage_count");
FS_ASSERT(offsetof(struct fs_ring_file_header, created_ns) == 48, "created_ns");
FS_ASSERT(offsetof(struct fs_ring_file_header, producer_pid) == 56, "producer_pid");
FS_ASSERT(offsetof(struct fs_ring_file_header, reserved_60) == 60, "reserved_60");
FS_ASSERT(offsetof(struct fs_ring_file_header, tap_name) == 64, "tap_name");
FS_ASSERT(offsetof(struct fs_ring_file_header, position) == 128, "position");
FS_ASSERT(offsetof(struct fs_ring_file_header, reserved_position) == 136, "reserved_position");
FS_ASSERT(offsetof(struct fs_ring_file_header, control_count) == 144, "control_count");
FS_ASSERT(offsetof(struct fs_ring_file_header, state) == 152, "state");
FS_ASSERT(offsetof(struct fs_ring_file_header, reserved_156) == 156, "reserved_156");
FS_ASSERT(offsetof(struct fs_ring_file_header, offered_packets) == 192, "offered_packets");
FS_ASSERT(offsetof(struct fs_ring_file_header, written_packets) == 200, "written_packets");
FS_ASSERT(offsetof(struct fs_ring_file_header, dropped_packets) == 208, "dropped_packets");
FS_ASSERT(offsetof(struct fs_ring_file_header, lost_recorded) == 216, "lost_recorded");
FS_ASSERT(offsetof(struct fs_ring_file_header, saturated_lengths) == 224, "saturated_lengths");
FS_ASSERT(offsetof(struct fs_ring_file_header, latest_time_ns) == 232, "latest_time_ns");
FS_ASSERT(offsetof(struct fs_ring_file_header, offered_bytes) == 240, "offered_bytes");
FS_ASSERT(offsetof(struct fs_ring_file_header, reserved_248) == 248, "reserved_248");
FS_ASSERT(offsetof(struct fs_ring_file_header, lineage) == 320, "lineage");
FS_ASSERT(offsetof(struct fs_ring_file_header, lanes) == 448, "lanes");
FS_ASSERT(offsetof(struct fs_ring_file_header, reserved_1472) == 1472, "reserved_1472");
FS_ASSERT(offsetof(struct fs_ring_file_header, control_index) == 2048, "control_index");
FS_ASSERT(offsetof(struct fs_ring_file_header, key_group_table) == 4096, "key_group_table");
FS_ASSERT(offsetof(struct fs_ring_file_header, reserved_36864) == 36864, "reserved_36864");
struct fs_time_record {
  uint64_t time_ns;
  uint64_t offered_packets;
  uint64_t written_packets;
  uint64_t dropped_packets;
  uint32_t clock_trusted;
  uint8_t reserved_36[24];
  uint32_t descriptor;
};
FS_ASSERT(sizeof(struct fs_time_record) == 64, "size");
FS_ASSERT(offsetof(struct fs_time_record, time_ns) == 0, "time_ns");
FS_ASSERT(offsetof(struct fs_time_record, offered_packets) == 8, "offered_packets");
FS_ASSERT(offsetof(struct fs_time_record, written_packets) == 16, "written_packets");
FS_ASSERT(offsetof(struct fs_time_record, dropped_packets) == 24, "dropped_packets");
FS_ASSERT(offsetof(struct fs_time_record, clock_trusted) == 32, "clock_trusted");
FS_ASSERT(offsetof(struct fs_time_record, reserved_36) == 36, "reserved_36");
FS_ASSERT(offsetof(struct fs_time_record, descriptor) == 60, "descriptor");
enum {
  FS_BATCH_BODY_RAW = 1,
  FS_BATCH_BODY_COLUMNS = 2,
};
enum {
  FS_RECORD_KIND_FREE = 0,
  FS_RECORD_KIND_IPV4 = 1,
  FS_RECORD_KIND_IPV6 = 2,
  FS_RECORD_KIND_OTHER = 3,
  FS_RECORD_KIND_IPV4_ENCAPSULATED = 4,
  FS_RECORD_KIND_IPV6_ENCAPSULATED = 5,
  FS_RECORD_KIND_TIME = 6,
  FS_RECORD_KIND_LOSS = 7,
};
enum {
  FS_OTHER_REASON_NOT_IP = 1,
  FS_OTHER_REASON_SHORT_LINK = 2,
  FS_OTHER_REASON_SHORT_IP = 3,
  FS_OTHER_REASON_BAD_IP = 4,
  FS_OTHER_REASON_MPLS_NOT_IP = 5,
  FS_OTHER_REASON_LINK_TYPE = 6,
  FS_OTHER_REASON_ERF_TYPE = 7,
  FS_OTHER_REASON_TOO_DEEP = 8,
};
enum {
  FS_RING_CONTENT_PACKET_RECORDS = 1,
};
enum {
  FS_RING_CLOCK_WALL = 1,
  FS_RING_CLOCK_CAPTURE = 2,
  FS_RING_CLOCK_SYNTHETIC = 3,
};
enum {
  FS_RING_STATE_OPEN = 0,
  FS_RING_STATE_ENDED = 1,
};
enum {
  FS_LANE_MODE_FREE = 0,
  FS_LANE_MODE_GATING = 1,
  FS_LANE_MODE_OBSERVING = 2,
};
