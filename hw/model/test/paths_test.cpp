// SPDX-License-Identifier: Apache-2.0
// The fast path against the general path, and what holds for every packet.
#include <string>

#include "check.hpp"
#include "fast_path.hpp"
#include "mutation.hpp"
#include "properties.hpp"

namespace flowstone::test {
namespace {

void check_properties(const uint8_t* data, const fs_raw_packet& packet, const std::string& which) {
  const char* broken = broken_property(data, packet);
  if (broken != nullptr) {
    std::printf("%s: does not hold: %s\n", which.c_str(), broken);
  }
  CHECK(broken == nullptr);
}

TEST(should_hold_for_each_odd_frame_cut_at_each_byte) {
  for (const auto& odd : odd_frames()) {
    for (size_t length = 0; length <= odd.frame.bytes.size(); length++) {
      const std::vector<uint8_t> exact(odd.frame.bytes.begin(), odd.frame.bytes.begin() + static_cast<long>(length));
      fs_raw_packet packet = describe(odd.frame);
      packet.captured_bytes = static_cast<uint32_t>(length);
      check_properties(exact.data(), packet, odd.odd + " cut at " + std::to_string(length));
    }
  }
}

TEST(should_hold_for_mutated_frames) {
  constexpr uint64_t kSeed = 20261121;
  Mutator mutator(kSeed, odd_frames());
  for (uint32_t round = 0; round < 500'000; round++) {
    const fs_raw_packet packet = mutator.next();
    check_properties(mutator.data(), packet, "seed " + std::to_string(kSeed) + ", round " + std::to_string(round));
  }
}

TEST(should_hold_for_random_bytes) {
  constexpr uint64_t kSeed = 4711;
  Random random(kSeed);
  uint8_t bytes[160];
  for (uint32_t round = 0; round < 200'000; round++) {
    for (uint8_t& byte : bytes) {
      byte = static_cast<uint8_t>(random.next() >> 40);
    }
    fs_raw_packet packet = {};
    packet.captured_bytes = random.below(sizeof bytes + 1);
    packet.wire_bytes = packet.captured_bytes;
    packet.link_type = random.below(2) == 0 ? 1 : 101;
    check_properties(bytes, packet, "seed " + std::to_string(kSeed) + ", round " + std::to_string(round));
  }
}

// Without this, a fast path that always declines would pass every comparison above.
TEST(should_take_the_fast_path_for_ordinary_packets_and_only_for_them) {
  for (const auto& odd : odd_frames()) {
    const bool ordinary =
        odd.odd.rfind("tcp over", 0) == 0 || odd.odd.rfind("udp over", 0) == 0 || odd.odd.rfind("one vlan", 0) == 0;
    FrameBuilder padded = odd.frame;
    padded.zeros(64);  // so that short frames are not declined for their length
    fs_packet_record record;
    const bool took = parse_fast(padded.bytes.data(), describe(padded), record);
    const bool first_fragment = odd.odd == "first fragment";  // its header is whole, so it is ordinary too
    if (took != (ordinary || first_fragment)) {
      std::printf("%s\n", odd.odd.c_str());
    }
    CHECK_EQUAL(ordinary || first_fragment, took);
  }
}

TEST(should_parse_a_batch_as_its_packets_one_by_one) {
  std::vector<uint8_t> bytes;
  std::vector<fs_raw_packet> packets;
  for (int repeat = 0; repeat < 3; repeat++) {
    for (const auto& odd : odd_frames()) {
      packets.push_back(describe(odd.frame));
      packets.back().data_offset = bytes.size();
      bytes.insert(bytes.end(), odd.frame.bytes.begin(), odd.frame.bytes.end());
    }
  }
  for (uint32_t count : {0u, 1u, 11u, 12u, 13u, static_cast<uint32_t>(packets.size())}) {
    std::vector<fs_packet_record> records(packets.size());
    flowstone_parse(bytes.data(), packets.data(), count, FS_PARSE_PROFILE_SOFTWARE, records.data());
    for (uint32_t index = 0; index < count; index++) {
      fs_packet_record alone;
      parse_general(bytes.data() + packets[index].data_offset, packets[index], kSoftwareProfile, alone);
      CHECK(same(alone, records[index]));
    }
    for (uint32_t index = count; index < records.size(); index++) {
      CHECK_EQUAL(0, records[index].descriptor);
    }
  }
}

}  // namespace
}  // namespace flowstone::test
