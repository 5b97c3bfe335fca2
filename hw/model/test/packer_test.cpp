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

constexpr uint32_t kFlows = 16'000;
constexpr uint32_t kFewerThanChangeTheHash = 300;

/** Until the table spreads flows in secret, and then as few as by chance. */
constexpr double kMostStepsPerFlow = 5.5;

/** The reciprocal, modulo 2^32, of what the table multiplies hashes by: they come out as small numbers. */
constexpr uint32_t kUndoSpread = 0x144CBC89u;
static_assert(kUndoSpread * 0x9E3779B9u == 1);

/** Bytes that a flow table takes, in cache lines. */
struct alignas(64) Line {
  uint8_t bytes[64];
};

/** A table for a message of 16,000 packets, and flows that are named by their number. */
class ChosenFlows {
 public:
  explicit ChosenFlows(uint32_t (*hash_of)(uint32_t flow), const columns::Secret& secret = any_secret())
      : hash_of_(hash_of), lines_(lines_of_table()), memory_(lines_.data()), table_(memory_, kFlows, secret) {
    table_.clear(kFlows);
  }

  /** The row of a flow. */
  uint32_t find_or_add(uint32_t flow) {
    fs_packet_record record = packet(0);
    std::memcpy(record.source_address, &flow, sizeof flow);
    record.flow_hash = hash_of_(flow);
    return table_.find_or_add(columns::key_of(record, columns::side_of(record)));
  }

  /** Finds the first so many: each is found again or new, in the order of their first packets. */
  void find(uint32_t count) {
    const uint32_t known = table_.count();
    for (uint32_t flow = 0; flow < count; flow++) {
      CHECK_EQUAL(flow, find_or_add(flow));
    }
    CHECK_EQUAL(std::max(known, count), table_.count());
  }

  uint64_t steps() const { return table_.steps(); }
  double steps_per_packet() const { return static_cast<double>(table_.steps()) / kFlows; }

 private:
  static size_t lines_of_table() {
    columns::Memory measured(nullptr);
    const columns::FlowTable table(measured, kFlows, columns::Secret{});
    return measured.used_bytes() / sizeof(Line);
  }

  uint32_t (*hash_of_)(uint32_t flow);
  std::vector<Line> lines_;
  columns::Memory memory_;
  columns::FlowTable table_;
};

uint32_t one_hash(uint32_t) { return 7; }
uint32_t one_slot(uint32_t flow) { return flow * kUndoSpread; }

TEST(should_pass_few_slots_where_nobody_chose_the_flows) {
  ChosenFlows flows([](uint32_t flow) { return flow * 0x2545F491u; });
  flows.find(kFlows);
  CHECK(flows.steps_per_packet() < 1);
}

TEST(should_not_slow_down_for_flows_of_one_hash_or_slot) {
  for (auto* hash_of : {one_hash, one_slot}) {
    ChosenFlows flows(hash_of);
    flows.find(kFlows);
    CHECK(flows.steps_per_packet() < kMostStepsPerFlow);
  }
}

TEST(should_find_flows_that_others_displaced) {
  for (auto* hash_of : {one_hash, one_slot}) {
    for (uint32_t count : {kFewerThanChangeTheHash, kFlows}) {
      ChosenFlows flows(hash_of);
      flows.find(count);
      flows.find(count);
    }
  }
}

TEST(should_not_slow_down_for_few_flows_that_are_found_again_and_again) {
  for (auto* hash_of : {one_hash, one_slot}) {
    ChosenFlows flows(hash_of);
    for (uint32_t sent = 0; sent < kFlows; sent += kFewerThanChangeTheHash) {
      flows.find(kFewerThanChangeTheHash);
    }
    CHECK(flows.steps_per_packet() < kMostStepsPerFlow);
  }
}

TEST(should_place_flows_elsewhere_with_another_secret) {
  columns::Secret other = any_secret();
  other.numbers[0]++;
  ChosenFlows flows(one_hash), elsewhere(one_hash, other);
  flows.find(kFlows);
  elsewhere.find(kFlows);
  CHECK(flows.steps() != elsewhere.steps());
}

TEST(should_hash_by_every_number_of_the_secret) {
  const columns::FlowKey key = {1, 2, 3, 4, 5, 6};
  const uint32_t hash = any_secret().hash(key);
  for (size_t index = 0; index < flowstone_packer_secret_numbers(); index++) {
    columns::Secret other = any_secret();
    other.numbers[index] ^= uint64_t{1} << 32;
    CHECK(hash != other.hash(key));
  }
}

TEST(should_keep_the_secret_that_it_is_made_with) { CHECK(Packing(kMostPackets).holds(any_secret())); }

}  // namespace
}  // namespace flowstone::test
