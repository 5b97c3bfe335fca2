// SPDX-License-Identifier: Apache-2.0
// The C functions of flowstone.h.
#include <cstring>
#include <new>

#include "batch.hpp"
#include "columns/packer.hpp"
#include "flow_hash.hpp"
#include "key_group.hpp"
#include "scatter.hpp"

uint64_t flowstone_abi_digest(void) { return FS_ABI_DIGEST; }

uint32_t flowstone_parse(const uint8_t* base, const fs_raw_packet* packets, uint32_t count, uint32_t profile,
                         fs_packet_record* records) {
  const bool card = profile == FS_PARSE_PROFILE_CARD;
  const flowstone::Profile& depth = card ? flowstone::kCardProfile : flowstone::kSoftwareProfile;
  return flowstone::parse_batch(base, packets, count, depth, records);
}

uint32_t flowstone_scatter(const fs_raw_packet* packets, const fs_packet_record* records, uint32_t first,
                           uint32_t first_unmet, uint32_t count, const uint8_t* key_group_table,
                           uint32_t max_parallelism, fs_ring_target* targets, uint32_t* stopped_ring,
                           uint32_t* stop_reason) {
  const flowstone::ScatterStop stop =
      flowstone::scatter(packets, records, first, first_unmet, count, {key_group_table, max_parallelism}, targets);
  *stopped_ring = stop.ring;
  *stop_reason = stop.reason;
  return stop.index;
}

namespace {

using flowstone::columns::Memory;
using flowstone::columns::Packer;
using flowstone::columns::Secret;

/** The packer itself comes first, what it works with behind it. */
Packer* packer_in(void* start) { return Memory(start).take<Packer>(1); }

}  // namespace

uint64_t flowstone_packer_bytes(uint32_t max_packets) {
  Memory memory(nullptr);
  memory.take<Packer>(1);
  const Packer measured(memory, max_packets, Secret{});
  return memory.used_bytes();
}

uint32_t flowstone_packer_secret_numbers(void) { return sizeof(Secret) / sizeof(uint64_t); }

void flowstone_packer_make(void* packer, uint32_t max_packets, const uint64_t* secret) {
  Secret numbers;
  std::memcpy(&numbers, secret, sizeof numbers);
  Memory memory(packer);
  new (memory.take<Packer>(1)) Packer(memory, max_packets, numbers);
}

void flowstone_pack_begin(void* packer, uint32_t count, uint32_t time_base_low) {
  packer_in(packer)->begin(count, time_base_low);
}

void flowstone_pack_add(void* packer, const fs_packet_record* records, uint32_t count, const void* upcoming) {
  packer_in(packer)->add(records, count, upcoming == nullptr ? records : upcoming);
}

uint64_t flowstone_pack_end(void* packer, uint8_t* body) {
  const uint8_t* const end = packer_in(packer)->end(body);
  return end == nullptr ? 0 : static_cast<uint64_t>(end - body);
}

uint64_t flowstone_body_bytes(uint32_t packets) { return flowstone::columns::most_body_bytes(packets); }

uint32_t flowstone_key_group(uint32_t flow_hash, uint32_t max_parallelism) {
  return flowstone::key_group(flow_hash, max_parallelism);
}

uint32_t flowstone_flow_hash(const fs_packet_record* record) {
  return flowstone::kind_of(*record) == FS_RECORD_KIND_OTHER ? 0 : flowstone::flow_hash(*record);
}
