// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "check.hpp"
#include "parsed.hpp"

namespace flowstone::test {
namespace {

constexpr uint32_t kSlotsLog2 = 3;
constexpr uint32_t kSlots = 1u << kSlotsLog2;
constexpr uint32_t kMaxParallelism = 128;
constexpr uint32_t kRings = 3;
constexpr uint64_t kTimeNs = 1'700'000'000'000'000'000;

/** Three rings of eight slots, with every key group in its number modulo 3, and packets to put there. */
struct Rings {
  std::array<std::array<fs_packet_record, kSlots>, kRings> slots{};
  std::array<fs_ring_target, kRings> targets{};
  std::array<uint8_t, kMaxParallelism> table{};
  std::vector<fs_raw_packet> packets;
  std::vector<fs_packet_record> records;
  uint32_t first_unmet = 0;
  uint32_t stopped_ring = 99;
  uint32_t stop_reason = 99;

  Rings() {
    for (uint32_t ring = 0; ring < kRings; ring++) {
      targets[ring].slots_address = reinterpret_cast<uint64_t>(slots[ring].data());
      targets[ring].slots_log2 = kSlotsLog2;
      targets[ring].limit = kSlots;
      targets[ring].time_base_ns = kTimeNs;
    }
    for (uint32_t group = 0; group < kMaxParallelism; group++) {
      table[group] = static_cast<uint8_t>(group % kRings);
    }
  }

  static uint32_t ring_of(uint32_t flow_hash) { return flowstone_key_group(flow_hash, kMaxParallelism) % kRings; }

  /** A packet whose hash leads to the given ring; its sequence number tells it from others. */
  fs_raw_packet& add(uint32_t ring) {
    fs_packet_record record = {};
    while (ring_of(record.flow_hash) != ring) {
      record.flow_hash++;
    }
    record.sequence = static_cast<uint32_t>(records.size());
    record.descriptor = static_cast<uint32_t>(FS_RECORD_KIND_IPV4) << FS_PACKET_RECORD_KIND_SHIFT;
    records.push_back(record);
    fs_raw_packet packet = {};
    packet.time_ns = kTimeNs + records.size();
    packet.wire_bytes = 100;
    packets.push_back(packet);
    return packets.back();
  }

  uint32_t scatter(uint32_t first = 0) {
    const uint32_t index = flowstone_scatter(packets.data(), records.data(), first, first_unmet,
                                             static_cast<uint32_t>(records.size()), table.data(), kMaxParallelism,
                                             targets.data(), &stopped_ring, &stop_reason);
    first_unmet = index + 1;
    return index;
  }

  void check_stops_at(uint32_t index, uint32_t ring, uint32_t reason, uint32_t first = 0) {
    CHECK_EQUAL(index, scatter(first));
    CHECK_EQUAL(ring, stopped_ring);
    CHECK_EQUAL(reason, stop_reason);
  }
};

TEST(should_place_each_record_in_the_ring_of_its_key_group) {
  Rings rings;
  for (uint32_t ring : {0u, 2u, 1u, 2u}) {
    rings.add(ring);
  }
  rings.check_stops_at(4, 0, FS_SCATTER_STOP_DONE);
  CHECK_EQUAL(1, rings.targets[0].position);
  CHECK_EQUAL(1, rings.targets[1].position);
  CHECK_EQUAL(2, rings.targets[2].position);
  CHECK_EQUAL(2, rings.targets[2].offered_packets);
  CHECK_EQUAL(200, rings.targets[2].offered_bytes);
  CHECK_EQUAL(1, rings.slots[2][0].sequence);
  CHECK_EQUAL(3, rings.slots[2][1].sequence);
  CHECK_EQUAL(FS_RECORD_KIND_IPV4, kind(rings.slots[2][1]));
  CHECK_EQUAL(0, rings.slots[2][2].descriptor);
}

TEST(should_go_on_from_the_first_record_given) {
  Rings rings;
  rings.add(1);
  rings.add(1);
  CHECK_EQUAL(2, rings.scatter(1));
  CHECK_EQUAL(1, rings.targets[1].position);
  CHECK_EQUAL(1, rings.slots[1][0].sequence);
}

TEST(should_tag_records_with_generations_1_to_7_and_round_again) {
  for (uint64_t lap : {0u, 1u, 6u, 7u, 15u}) {
    Rings rings;
    rings.targets[1].position = lap * kSlots + 5;
    rings.targets[1].limit = rings.targets[1].position + 1;
    rings.add(1);
    rings.records[0].descriptor |= 7u << FS_PACKET_RECORD_GENERATION_SHIFT;  // a tag from elsewhere does not survive
    CHECK_EQUAL(1, rings.scatter());
    CHECK_EQUAL(lap % 7 + 1, generation(rings.slots[1][5]));
  }
}

TEST(should_stop_before_a_record_without_room) {
  Rings rings;
  rings.targets[1].limit = 1;
  rings.add(1);
  rings.add(0);
  rings.add(1);
  rings.add(0);
  rings.check_stops_at(2, 1, FS_SCATTER_STOP_NO_ROOM);
  CHECK_EQUAL(1, rings.targets[1].position);
  CHECK_EQUAL(1, rings.targets[0].position);
  rings.targets[1].limit = 2;
  CHECK_EQUAL(4, rings.scatter(2));
  CHECK_EQUAL(FS_SCATTER_STOP_DONE, rings.stop_reason);
}

TEST(should_ask_for_the_first_time_record) {
  Rings rings;
  rings.targets[2].needs_time = 1;
  rings.add(2);
  rings.check_stops_at(0, 2, FS_SCATTER_STOP_NEEDS_TIME);
}

TEST(should_ask_for_a_time_record_a_second_away_in_either_direction) {
  for (const int64_t step_ns : {999'999'999, -999'999'999}) {
    Rings rings;
    rings.add(0).time_ns = kTimeNs + static_cast<uint64_t>(step_ns);
    rings.check_stops_at(1, 0, FS_SCATTER_STOP_DONE);
  }
  for (const int64_t step_ns : {1'000'000'000, -1'000'000'000}) {
    Rings rings;
    rings.add(2).time_ns = kTimeNs + static_cast<uint64_t>(step_ns);
    rings.check_stops_at(0, 2, FS_SCATTER_STOP_NEEDS_TIME);
  }
}

TEST(should_see_a_time_step_across_half_the_range_of_64_bits) {
  Rings rings;
  rings.targets[0].time_base_ns = 0;
  rings.add(0).time_ns = ~uint64_t{0};
  rings.check_stops_at(0, 0, FS_SCATTER_STOP_NEEDS_TIME);
}

TEST(should_ask_for_a_time_record_when_trust_in_the_clock_changes) {
  Rings lost, won;
  lost.add(1).flags = FS_RAW_PACKET_FLAG_UNTIMED;
  lost.check_stops_at(0, 1, FS_SCATTER_STOP_NEEDS_TIME);
  lost.targets[1].untimed = 1;
  lost.check_stops_at(1, 0, FS_SCATTER_STOP_DONE);
  won.add(1);
  won.targets[1].untimed = 1;
  won.check_stops_at(0, 1, FS_SCATTER_STOP_NEEDS_TIME);
}

TEST(should_look_at_time_before_room) {
  Rings rings;
  rings.targets[0].limit = 0;
  rings.targets[0].needs_time = 1;
  rings.add(0);
  rings.check_stops_at(0, 0, FS_SCATTER_STOP_NEEDS_TIME);
  rings.targets[0].needs_time = 0;
  rings.check_stops_at(0, 0, FS_SCATTER_STOP_NO_ROOM);
}

TEST(should_count_saturated_lengths_and_whole_wire_bytes) {
  Rings rings;
  rings.add(0).wire_bytes = 524287;
  rings.add(0).wire_bytes = 524288;
  rings.add(0).wire_bytes = 4'000'000'000;
  CHECK_EQUAL(3, rings.scatter());
  CHECK_EQUAL(2, rings.targets[0].saturated_lengths);
  CHECK_EQUAL(uint64_t{524287} + 524288 + 4'000'000'000, rings.targets[0].offered_bytes);
}

TEST(should_count_a_packet_as_offered_when_it_meets_its_ring_and_once_only) {
  Rings rings;
  rings.targets[1].needs_time = 1;
  rings.targets[1].limit = 0;
  rings.add(0);
  rings.add(1);
  rings.add(1).wire_bytes = 60;
  rings.check_stops_at(1, 1, FS_SCATTER_STOP_NEEDS_TIME);
  CHECK_EQUAL(1, rings.targets[1].offered_packets);
  CHECK_EQUAL(100, rings.targets[1].offered_bytes);
  rings.targets[1].needs_time = 0;
  rings.check_stops_at(1, 1, FS_SCATTER_STOP_NO_ROOM, 1);
  rings.check_stops_at(1, 1, FS_SCATTER_STOP_NO_ROOM, 1);
  CHECK_EQUAL(1, rings.targets[1].offered_packets);
  CHECK_EQUAL(0, rings.targets[1].position);
  rings.targets[1].limit = 2;
  rings.check_stops_at(3, 0, FS_SCATTER_STOP_DONE, 1);
  CHECK_EQUAL(1, rings.targets[0].offered_packets);
  CHECK_EQUAL(2, rings.targets[1].offered_packets);
  CHECK_EQUAL(160, rings.targets[1].offered_bytes);
  CHECK_EQUAL(2, rings.targets[1].position);
}

TEST(should_have_counted_a_packet_that_the_caller_passes_over) {
  Rings rings;
  rings.targets[2].limit = 0;
  rings.add(2);
  rings.add(2);
  rings.check_stops_at(0, 2, FS_SCATTER_STOP_NO_ROOM);
  rings.targets[2].limit = 1;
  rings.check_stops_at(2, 0, FS_SCATTER_STOP_DONE, 1);
  CHECK_EQUAL(2, rings.targets[2].offered_packets);
  CHECK_EQUAL(1, rings.targets[2].position);
}

TEST(should_pass_over_records_of_a_ring_that_is_dropping) {
  Rings rings;
  rings.targets[1].limit = 1;
  rings.add(1);
  rings.add(1);
  rings.add(0);
  rings.add(1).wire_bytes = 60;
  rings.add(1).time_ns = kTimeNs + 1'500'000'000;  // needs a TIME record
  rings.add(0);
  rings.check_stops_at(1, 1, FS_SCATTER_STOP_NO_ROOM);
  rings.targets[1].dropping = 1;
  rings.check_stops_at(6, 0, FS_SCATTER_STOP_DONE, 2);
  CHECK_EQUAL(1, rings.targets[1].position);
  CHECK_EQUAL(4, rings.targets[1].offered_packets);
  CHECK_EQUAL(360, rings.targets[1].offered_bytes);
  CHECK_EQUAL(kTimeNs + 1'500'000'000, rings.targets[1].last_dropped_ns);
  CHECK_EQUAL(0, rings.slots[1][1].descriptor);
  CHECK_EQUAL(2, rings.targets[0].position);
  CHECK_EQUAL(5, rings.slots[0][1].sequence);
}

TEST(should_stop_at_a_full_ring_beside_one_that_is_dropping) {
  Rings rings;
  rings.targets[0].limit = 0;
  rings.targets[0].dropping = 1;
  rings.targets[2].limit = 0;
  rings.add(0);
  rings.add(2);
  rings.check_stops_at(1, 2, FS_SCATTER_STOP_NO_ROOM);
}

}  // namespace
}  // namespace flowstone::test
