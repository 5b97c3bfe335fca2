// SPDX-License-Identifier: Apache-2.0
// What a body says is held against the Java encoder by that side's tests, byte by byte; here, that packing keeps to the
// memory that it was given, whatever the records.
#include <algorithm>
#include <vector>

#include "check.hpp"
#include "columns/flow_table.hpp"
#include "mutation.hpp"
#include "packing.hpp"

namespace flowstone::test {
namespace {

constexpr uint32_t kMostPackets = 3'000;

fs_packet_record packet(uint32_t number) {
  fs_packet_record record = {};
  record.time_low = number;
  record.source_port = static_cast<uint16_t>(1'000 + number % 7);
  record.descriptor = static_cast<uint32_t>(FS_RECORD_KIND_IPV4) << FS_PACKET_RECORD_KIND_SHIFT;
  return record;
}

std::vector<fs_packet_record> packets(uint32_t count) {
  std::vector<fs_packet_record> records;
  while (records.size() < count) {
    records.push_back(packet(static_cast<uint32_t>(records.size())));
  }
  return records;
}

TEST(should_keep_to_its_memory_whatever_the_records) {
  Random random(7);
  Packing packing(kMostPackets);
  for (int round = 0; round < 200; round++) {
    const uint32_t count = random.below(round % 10 == 0 ? kMostPackets + 1 : 60);
    const std::vector<uint8_t> body = packing.pack(wild_packets(random, count));
    CHECK(body.size() >= sizeof(fs_packet_columns_header) + FS_PACKET_COLUMNS_HEADER_COLUMN_COUNT);
    CHECK(packing.kept_to_its_memory());
  }
}

TEST(should_pack_as_many_packets_as_a_batch_has_at_most) {
  Random random(8);
  Packing packing(FS_PACKET_COLUMNS_HEADER_MAX_PACKETS);
  const uint32_t count = FS_PACKET_COLUMNS_HEADER_MAX_PACKETS;
  CHECK(packing.pack(wild_packets(random, count)).size() > count);
  CHECK(packing.kept_to_its_memory());
}

TEST(should_pack_alike_however_many_come_at_once) {
  Random random(10);
  const std::vector<fs_packet_record> wild = wild_packets(random, 1'000);
  Packing packing(kMostPackets);
  const std::vector<uint8_t> together = packing.pack(wild, 1'000);
  for (uint32_t at_once : {1u, 7u, 256u, 999u}) {
    CHECK(together == packing.pack(wild, at_once));
  }
}

TEST(should_pack_alike_whatever_was_packed_before) {
  Random random(9);
  Packing fresh(kMostPackets), used(kMostPackets);
  used.pack(wild_packets(random, kMostPackets));
  CHECK(fresh.pack(packets(50)) == used.pack(packets(50)));
}

TEST(should_refuse_records_that_are_no_packets) {
  Packing packing(kMostPackets);
  for (uint32_t kind : {FS_RECORD_KIND_FREE, FS_RECORD_KIND_TIME, FS_RECORD_KIND_LOSS}) {
    std::vector<fs_packet_record> records = packets(20);
    records[13].descriptor = kind << FS_PACKET_RECORD_KIND_SHIFT;
    CHECK_EQUAL(0, packing.pack(records).size());
  }
}

/** Slots passed for each flow, 16,000 of which have the hash that is asked for. */
double steps_per_flow(uint32_t (*hash_of)(uint32_t flow)) {
  constexpr uint32_t kFlows = 16'000;
  const auto table_in = [](columns::Memory& memory) { return columns::FlowTable(memory, kFlows, any_secret()); };
  columns::Memory measured(nullptr);
  table_in(measured);
  std::vector<fs_packet_record> lines(measured.used_bytes() / sizeof(fs_packet_record) + 1);
  columns::Memory memory(reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(lines.data()) + 63) / 64 * 64));
  columns::FlowTable table = table_in(memory);
  table.clear(kFlows);
  for (uint32_t flow = 0; flow < kFlows; flow++) {
    fs_packet_record record = packet(0);
    std::memcpy(record.source_address, &flow, sizeof flow);
    record.flow_hash = hash_of(flow);
    CHECK_EQUAL(flow, table.find_or_add(columns::key_of(record, columns::side_of(record))));
  }
  return static_cast<double>(table.steps()) / kFlows;
}

TEST(should_pass_few_slots_where_nobody_chose_the_flows) {
  CHECK(steps_per_flow([](uint32_t flow) { return flow * 0x2545F491u; }) < 1);
}

TEST(should_not_slow_down_for_flows_of_one_hash) {
  CHECK(steps_per_flow([](uint32_t) { return 7u; }) < 5.5);
}

}  // namespace
}  // namespace flowstone::test
