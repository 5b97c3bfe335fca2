// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "crc32c.hpp"
#include "key_group.hpp"
#include "parsed.hpp"
#include "properties.hpp"

namespace flowstone::test {
namespace {

// Test vectors of RFC 3720, B.4.
template <typename Step>
void check_rfc_vectors(Step step) {
  const auto crc = [&](uint64_t first, uint64_t second, uint64_t third, uint64_t fourth) {
    return ~step(step(step(step(kCrcStart, first), second), third), fourth);
  };
  const uint64_t ones = ~uint64_t{0};
  CHECK_EQUAL(0x8A9136AAu, crc(0, 0, 0, 0));
  CHECK_EQUAL(0x62A8AB43u, crc(ones, ones, ones, ones));
  CHECK_EQUAL(0x46DD794Eu, crc(0x0706050403020100u, 0x0F0E0D0C0B0A0908u, 0x1716151413121110u, 0x1F1E1D1C1B1A1918u));
}

TEST(should_compute_crc32c_with_the_processor) { check_rfc_vectors(crc32c); }

TEST(should_compute_crc32c_with_the_table) { check_rfc_vectors(crc32c_by_table); }

// Expected values: a bitwise CRC32C of the 40 bytes that flow_hash.hpp describes, computed apart from this library.
TEST(should_hash_known_flows) {
  const auto ipv4 = parse(FrameBuilder().ethernet(0x0800).ipv4(6, 20).tcp(443, 5000));
  CHECK_EQUAL(0x0B4FC19Du, ipv4.flow_hash);
  const auto ipv6 = parse(FrameBuilder().ethernet(0x86DD).ipv6(17, 18).udp(5000, 443, 18).zeros(10));
  CHECK_EQUAL(0xE9B49392u, ipv6.flow_hash);
}

TEST(should_order_endpoints_of_one_address_by_port) {
  FrameBuilder frame = FrameBuilder().ethernet(0x0800).ipv4(6, 20).tcp(5000, 80);
  frame.bytes[33] = 1;  // destination 10.0.0.1, as the source
  CHECK_EQUAL(0x1F76B2ABu, parse(frame).flow_hash);
}

TEST(should_hash_both_directions_alike) {
  for (const auto& odd : odd_frames()) {
    const auto record = parse(odd.frame);
    const auto opposite = reversed(record);
    CHECK_EQUAL(record.flow_hash, flowstone_flow_hash(&record));
    if (!is_other(record)) {
      CHECK_EQUAL(record.flow_hash, flowstone_flow_hash(&opposite));
    }
  }
}

TEST(should_not_hash_a_packet_without_a_tuple) {
  const auto record = parse(FrameBuilder().ethernet(0x0806).zeros(46));
  CHECK_EQUAL(0, record.flow_hash);
  CHECK_EQUAL(0, flowstone_flow_hash(&record));
}

// Values of Flink's MathUtils.murmurHash.
TEST(should_compute_flinks_murmur_hash) {
  CHECK_EQUAL(593689054, flink_murmur(0));
  CHECK_EQUAL(68075478, flink_murmur(1));
  CHECK_EQUAL(1982413648, flink_murmur(0xFFFFFFFFu));
  CHECK_EQUAL(1134849565, flink_murmur(42));
  CHECK_EQUAL(1718298732, flink_murmur(0x80000000u));
}

TEST(should_take_the_key_group_modulo_any_parallelism) {
  CHECK_EQUAL(593689054 % 128, flowstone_key_group(0, 128));
  CHECK_EQUAL(1134849565 % 100, flowstone_key_group(42, 100));
  CHECK_EQUAL(1134849565 % 32768, flowstone_key_group(42, 32768));
  CHECK_EQUAL(0, flowstone_key_group(42, 1));
  CHECK_EQUAL(0, flowstone_key_group(42, 0));
}

TEST(should_state_the_digest_of_its_layouts) { CHECK_EQUAL(FS_ABI_DIGEST, flowstone_abi_digest()); }

}  // namespace
}  // namespace flowstone::test
