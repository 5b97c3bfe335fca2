// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "parsed.hpp"

namespace flowstone::test {
namespace {

using F = FrameBuilder;

F ipv4_tcp() { return F().ethernet(0x0800).ipv4(6, 20).tcp(443, 5000); }

void check_other(const fs_packet_record& record, uint32_t reason, uint32_t number) {
  CHECK_EQUAL(FS_RECORD_KIND_OTHER, kind(record));
  CHECK_EQUAL(reason, record.source_port);
  CHECK_EQUAL(number, record.destination_port);
}

void check_ports(const fs_packet_record& record, uint32_t source, uint32_t destination) {
  CHECK_EQUAL(source, record.source_port);
  CHECK_EQUAL(destination, record.destination_port);
}

// The worked example of the packet record's reference page: a SYN of 74 bytes.
TEST(should_make_the_record_of_the_worked_example) {
  F frame;
  frame.ethernet(0x0800).ipv4(6, 40).number16(49152).number16(443).number32(0x12345678).number32(0);
  frame.raw({0xA0, 0x02}).number16(64240).zeros(4 + 20);
  const uint8_t header_fields[] = {192, 0, 2, 10, 198, 51, 100, 20};
  std::memcpy(frame.bytes.data() + 26, header_fields, 8);
  frame.bytes[15] = 0;   // TOS
  frame.bytes[22] = 64;  // TTL
  fs_raw_packet packet = describe(frame);
  packet.time_ns = 1'795'219'200'001'234'567;
  const fs_packet_record record = parse(frame, packet);
  CHECK_EQUAL(3590903431, record.time_low);
  CHECK_EQUAL(0xD5D2F2EC, record.flow_hash);
  check_ports(record, 49152, 443);
  CHECK_EQUAL(0x12345678, record.sequence);
  CHECK_EQUAL(64240, record.tcp_window);
  CHECK_EQUAL(0, record.payload_length);
  CHECK_EQUAL(2, record.tcp_flags);
  CHECK_EQUAL(64, record.time_to_live);
  CHECK_EQUAL(74u | static_cast<uint32_t>(FS_RECORD_KIND_IPV4) << 26, record.descriptor);
}

TEST(should_fill_every_field_of_an_ipv4_tcp_packet) {
  const F frame = F().ethernet(0x0800).ipv4(6, 33).tcp(443, 5000, 0x1A, 6).zeros(9);
  fs_raw_packet packet = describe(frame);
  packet.flags = FS_RAW_PACKET_FLAG_INGRESS_PORT_1;
  packet.wire_bytes = 1500;
  const fs_packet_record record = parse(frame, packet);
  const uint8_t source[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 1};
  const uint8_t destination[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 2};
  CHECK_EQUAL(1'700'000'000'123'456'789 & 0xFFFFFFFF, record.time_low);
  CHECK_EQUAL(0, std::memcmp(record.source_address, source, 16));
  CHECK_EQUAL(0, std::memcmp(record.destination_address, destination, 16));
  check_ports(record, 443, 5000);
  CHECK_EQUAL(0x01020304, record.sequence);
  CHECK_EQUAL(0x0A0B0C0D, record.acknowledgement);
  CHECK_EQUAL(0xFACE, record.tcp_window);
  CHECK_EQUAL(9, record.payload_length);
  CHECK_EQUAL(6, record.protocol);
  CHECK_EQUAL(0x1A, record.tcp_flags);
  CHECK_EQUAL(0x2E, record.type_of_service);
  CHECK_EQUAL(63, record.time_to_live);
  CHECK_EQUAL(1500u | 1u << 25 | static_cast<uint32_t>(FS_RECORD_KIND_IPV4) << 26, record.descriptor);
}

TEST(should_fill_the_fields_of_an_ipv6_udp_packet) {
  const fs_packet_record record = parse(F().ethernet(0x86DD).ipv6(17, 18).udp(53, 4000, 18).zeros(10));
  const uint8_t source[16] = {0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
  CHECK_EQUAL(FS_RECORD_KIND_IPV6, kind(record));
  CHECK_EQUAL(0, std::memcmp(record.source_address, source, 16));
  CHECK_EQUAL(2, record.destination_address[15]);
  check_ports(record, 53, 4000);
  CHECK_EQUAL(53u << 16 | 4000, record.sequence);
  CHECK_EQUAL(18u << 16 | 0xBEEF, record.acknowledgement);
  CHECK_EQUAL(0, record.tcp_window);
  CHECK_EQUAL(0, record.tcp_flags);
  CHECK_EQUAL(10, record.payload_length);
  CHECK_EQUAL(0xB8, record.type_of_service);
  CHECK_EQUAL(61, record.time_to_live);
}

TEST(should_saturate_the_frame_length) {
  const F frame = ipv4_tcp();
  fs_raw_packet packet = describe(frame);
  packet.wire_bytes = 524287;
  CHECK_EQUAL(524287, frame_length(parse(frame, packet)));
  packet.wire_bytes = 524288;
  CHECK_EQUAL(524287, frame_length(parse(frame, packet)));
  CHECK_EQUAL(FS_RECORD_KIND_IPV4, kind(parse(frame, packet)));
}

TEST(should_refuse_wrong_ip_headers) {
  F version = ipv4_tcp(), words = ipv4_tcp(), version6 = F().ethernet(0x86DD).ipv6(6, 20).tcp(1, 2);
  version.bytes[14] = 0x65;
  words.bytes[14] = 0x44;
  version6.bytes[14] = 0x45;
  check_other(parse(version), FS_OTHER_REASON_BAD_IP, 0x0800);
  check_other(parse(words), FS_OTHER_REASON_BAD_IP, 0x0800);
  check_other(parse(version6), FS_OTHER_REASON_BAD_IP, 0x86DD);
}

TEST(should_refuse_cut_ip_headers) {
  check_other(parse(ipv4_tcp().cut(14 + 19)), FS_OTHER_REASON_SHORT_IP, 0x0800);
  CHECK_EQUAL(FS_RECORD_KIND_IPV4, kind(parse(ipv4_tcp().cut(14 + 20))));
  const F ipv6 = F().ethernet(0x86DD).ipv6(6, 20).tcp(1, 2);
  check_other(parse(F(ipv6).cut(14 + 39)), FS_OTHER_REASON_SHORT_IP, 0x86DD);
  CHECK_EQUAL(FS_RECORD_KIND_IPV6, kind(parse(F(ipv6).cut(14 + 40))));
}

TEST(should_keep_the_tuple_when_ip_options_are_cut) {
  const fs_packet_record record = parse(F().ethernet(0x0800).ipv4(6, 20, 0, 15).tcp(1, 2).cut(14 + 30));
  CHECK_EQUAL(FS_RECORD_KIND_IPV4, kind(record));
  CHECK_EQUAL(6, record.protocol);
  check_ports(record, 0, 0);
  CHECK_EQUAL(0xFFFF, record.payload_length);
}

TEST(should_not_take_ethernet_padding_for_layer_4) {
  F frame = F().ethernet(0x0800).ipv4(6, 3).zeros(60);
  for (size_t index = 34; index < frame.bytes.size(); index++) {
    frame.bytes[index] = 0x77;
  }
  const fs_packet_record record = parse(frame);
  check_ports(record, 0, 0);
  CHECK_EQUAL(0, record.sequence);
  CHECK_EQUAL(0, record.tcp_flags);
  CHECK_EQUAL(0xFFFF, record.payload_length);
}

TEST(should_read_to_the_end_of_the_capture_without_a_total_length) {
  for (int total_length : {0, 19}) {
    F frame = F().ethernet(0x0800).ipv4(6, 20).tcp(443, 5000).zeros(6);
    frame.bytes[16] = 0;
    frame.bytes[17] = static_cast<uint8_t>(total_length);
    fs_raw_packet packet = describe(frame);
    packet.wire_bytes = 90000;
    const fs_packet_record record = parse(frame, packet);
    check_ports(record, 443, 5000);
    CHECK_EQUAL(0x12, record.tcp_flags);
    CHECK_EQUAL(0xFFFE, record.payload_length);
    packet.wire_bytes = packet.captured_bytes;
    CHECK_EQUAL(6, parse(frame, packet).payload_length);
  }
}

TEST(should_read_to_the_end_of_the_capture_with_ipv6_payload_length_0) {
  const fs_packet_record record = parse(F().ethernet(0x86DD).ipv6(6, 0).tcp(443, 5000).zeros(100));
  check_ports(record, 443, 5000);
  CHECK_EQUAL(100, record.payload_length);
}

TEST(should_keep_ports_of_first_fragments_and_drop_those_of_later_ones) {
  const fs_packet_record first = parse(F().ethernet(0x0800).ipv4(17, 24, 0x2000).udp(7, 8, 2000).zeros(16));
  CHECK(!is_later_fragment(first));
  check_ports(first, 7, 8);
  CHECK_EQUAL(16, first.payload_length);
  const fs_packet_record later = parse(F().ethernet(0x0800).ipv4(17, 24, 0x0001).udp(7, 8, 2000).zeros(16));
  CHECK(is_later_fragment(later));
  check_ports(later, 0, 0);
  CHECK_EQUAL(0, later.sequence);
  CHECK_EQUAL(24, later.payload_length);
  CHECK_EQUAL(17, later.protocol);
}

TEST(should_walk_ipv6_extension_headers) {
  const fs_packet_record record = parse(F().ethernet(0x86DD)
                                            .ipv6(0, 32 + 16 + 20 + 5)
                                            .extension(43)
                                            .extension(60, 1)
                                            .extension(44)
                                            .fragment_header(51, 0, true)
                                            .extension(6, 0)
                                            .tcp(443, 5000)
                                            .zeros(5));
  // The authentication header counts its length in words: length 0 means 8 bytes.
  CHECK_EQUAL(6, record.protocol);
  check_ports(record, 443, 5000);
  CHECK(!is_later_fragment(record));
  CHECK_EQUAL(5, record.payload_length);
}

TEST(should_count_an_authentication_header_in_words) {
  const fs_packet_record record = parse(F().ethernet(0x86DD).ipv6(51, 44).raw({6, 4}).zeros(22).tcp(443, 5000));
  CHECK_EQUAL(6, record.protocol);
  check_ports(record, 443, 5000);
}

TEST(should_end_the_walk_at_a_later_fragment) {
  const fs_packet_record record =
      parse(F().ethernet(0x86DD).ipv6(44, 32).fragment_header(60, 1400, true).extension(6).zeros(16));
  CHECK(is_later_fragment(record));
  CHECK_EQUAL(60, record.protocol);
  check_ports(record, 0, 0);
  CHECK_EQUAL(24, record.payload_length);
}

TEST(should_report_a_cut_extension_header_as_the_protocol) {
  const fs_packet_record record = parse(F().ethernet(0x86DD).ipv6(0, 28).extension(43).extension(6).cut(14 + 40 + 15));
  CHECK_EQUAL(FS_RECORD_KIND_IPV6, kind(record));
  CHECK_EQUAL(43, record.protocol);
  CHECK_EQUAL(0, record.sequence);
  CHECK_EQUAL(0xFFFF, record.payload_length);
}

TEST(should_follow_an_extension_header_that_is_cut_after_its_first_bytes) {
  const fs_packet_record record = parse(F().ethernet(0x86DD).ipv6(43, 32).extension(59, 3).cut(14 + 40 + 31));
  CHECK_EQUAL(59, record.protocol);
}

TEST(should_stop_at_the_cards_bound_of_extension_headers) {
  const F two = F().ethernet(0x86DD).ipv6(0, 36).extension(60).extension(6).tcp(443, 5000);
  const F three = F().ethernet(0x86DD).ipv6(0, 44).extension(60).extension(60).extension(6).tcp(443, 5000);
  check_ports(parse(two, FS_PARSE_PROFILE_CARD), 443, 5000);
  check_other(parse(three, FS_PARSE_PROFILE_CARD), FS_OTHER_REASON_TOO_DEEP, 0x86DD);
  check_ports(parse(three), 443, 5000);
}

TEST(should_not_guess_what_lies_behind_the_cards_window) {
  // Ports at 118 to 121 are inside the window of 128 bytes, at 126 to 129 they are not.
  const F inside = F().ethernet(0x86DD).ipv6(60, 84).extension(6, 7).tcp(443, 5000);
  const F across = F().ethernet(0x86DD).ipv6(60, 92).extension(6, 8).tcp(443, 5000);
  const fs_packet_record record = parse(inside, FS_PARSE_PROFILE_CARD);
  check_ports(record, 443, 5000);
  CHECK_EQUAL(0x01020304, record.sequence);
  CHECK_EQUAL(0, record.acknowledgement);
  CHECK_EQUAL(0xFFFF, record.payload_length);
  check_other(parse(across, FS_PARSE_PROFILE_CARD), FS_OTHER_REASON_TOO_DEEP, 0x86DD);
  check_ports(parse(across), 443, 5000);
}

TEST(should_not_open_tunnels) {
  const fs_packet_record gre =
      parse(F().ethernet(0x0800).ipv4(47, 44).number16(0).number16(0x0800).ipv4(6, 20).tcp(1, 2));
  CHECK_EQUAL(47, gre.protocol);
  CHECK_EQUAL(FS_RECORD_KIND_IPV4, kind(gre));
  check_ports(gre, 0, 0);
  CHECK_EQUAL(44, gre.payload_length);
  const fs_packet_record ip_in_ip = parse(F().ethernet(0x0800).ipv4(4, 40).ipv4(6, 20).tcp(1, 2));
  CHECK_EQUAL(4, ip_in_ip.protocol);
}

}  // namespace
}  // namespace flowstone::test
