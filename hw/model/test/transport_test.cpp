// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "parsed.hpp"

namespace flowstone::test {
namespace {

using F = FrameBuilder;

F tcp_of(unsigned readable) { return F().ethernet(0x0800).ipv4(6, 100).tcp(443, 5000).cut(14 + 20 + readable); }

TEST(should_read_each_tcp_field_as_far_as_captured) {
  CHECK_EQUAL(0, parse(tcp_of(3)).source_port);
  CHECK_EQUAL(443, parse(tcp_of(4)).source_port);
  CHECK_EQUAL(0, parse(tcp_of(7)).sequence);
  CHECK_EQUAL(0x01020304, parse(tcp_of(8)).sequence);
  CHECK_EQUAL(0, parse(tcp_of(11)).acknowledgement);
  CHECK_EQUAL(0x0A0B0C0D, parse(tcp_of(12)).acknowledgement);
  CHECK_EQUAL(0xFFFF, parse(tcp_of(12)).payload_length);
  CHECK_EQUAL(80, parse(tcp_of(13)).payload_length);
  CHECK_EQUAL(0, parse(tcp_of(13)).tcp_flags);
  CHECK_EQUAL(0x12, parse(tcp_of(14)).tcp_flags);
  CHECK_EQUAL(0, parse(tcp_of(15)).tcp_window);
  CHECK_EQUAL(0xFACE, parse(tcp_of(16)).tcp_window);
}

TEST(should_not_believe_a_tcp_header_shorter_than_5_words_or_longer_than_the_packet) {
  CHECK_EQUAL(0xFFFF, parse(F().ethernet(0x0800).ipv4(6, 40).tcp(1, 2, 2, 4).zeros(20)).payload_length);
  CHECK_EQUAL(0, parse(F().ethernet(0x0800).ipv4(6, 40).tcp(1, 2, 2, 10)).payload_length);
  CHECK_EQUAL(0xFFFF, parse(F().ethernet(0x0800).ipv4(6, 39).tcp(1, 2, 2, 10)).payload_length);
}

TEST(should_read_ports_of_the_five_protocols_that_have_them) {
  for (unsigned protocol : {6u, 17u, 33u, 132u, 136u}) {
    const fs_packet_record record = parse(F().ethernet(0x0800).ipv4(protocol, 24).number16(7).number16(9).zeros(20));
    CHECK_EQUAL(7, record.source_port);
    CHECK_EQUAL(9, record.destination_port);
  }
  for (unsigned protocol : {1u, 2u, 47u, 50u, 58u, 89u}) {
    const fs_packet_record record = parse(F().ethernet(0x0800).ipv4(protocol, 24).number16(7).number16(9).zeros(20));
    CHECK_EQUAL(0, record.source_port);
    CHECK_EQUAL(0, record.destination_port);
    CHECK_EQUAL(7u << 16 | 9, record.sequence);
  }
}

uint32_t payload_of(unsigned protocol, unsigned layer4_bytes) {
  return parse(F().ethernet(0x0800).ipv4(protocol, layer4_bytes).zeros(4).raw({4}).zeros(40)).payload_length;
}

TEST(should_subtract_the_header_of_each_protocol) {
  for (unsigned protocol : {17u, 136u, 1u, 58u}) {
    CHECK_EQUAL(0, payload_of(protocol, 8));
    CHECK_EQUAL(12, payload_of(protocol, 20));
    CHECK_EQUAL(0xFFFF, payload_of(protocol, 7));
  }
  CHECK_EQUAL(8, payload_of(132, 20));
  CHECK_EQUAL(0xFFFF, payload_of(132, 11));
  CHECK_EQUAL(4, payload_of(33, 20));  // data offset 4 words
  CHECK_EQUAL(0xFFFF, payload_of(33, 15));
  CHECK_EQUAL(20, payload_of(50, 20));
}

TEST(should_saturate_the_payload_length) {
  const F frame = F().ethernet(0x86DD).ipv6(50, 65533).zeros(30);
  CHECK_EQUAL(65533, parse(frame).payload_length);
  CHECK_EQUAL(0xFFFE, parse(F().ethernet(0x86DD).ipv6(50, 65534).zeros(30)).payload_length);
  CHECK_EQUAL(0xFFFE, parse(F().ethernet(0x86DD).ipv6(50, 65535).zeros(30)).payload_length);
}

}  // namespace
}  // namespace flowstone::test
