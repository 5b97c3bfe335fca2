// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"
#include "parsed.hpp"

namespace flowstone::test {
namespace {

using F = FrameBuilder;

FrameBuilder with_tcp(FrameBuilder& frame) { return frame.ipv4(6, 20).tcp(443, 5000); }

void check_tcp(const fs_packet_record& record, uint32_t expected_kind) {
  CHECK_EQUAL(expected_kind, kind(record));
  CHECK_EQUAL(6, record.protocol);
  CHECK_EQUAL(443, record.source_port);
  CHECK_EQUAL(5000, record.destination_port);
}

void check_other(const fs_packet_record& record, uint32_t reason, uint32_t number) {
  CHECK_EQUAL(FS_RECORD_KIND_OTHER, kind(record));
  CHECK_EQUAL(reason, record.source_port);
  CHECK_EQUAL(number, record.destination_port);
}

TEST(should_skip_every_kind_of_vlan_tag) {
  for (unsigned type : {0x8100, 0x88A8, 0x9100, 0x9200, 0x9300}) {
    check_tcp(parse(with_tcp(F().ethernet(type).vlan(5, 0x0800))), FS_RECORD_KIND_IPV4);
    check_tcp(parse(with_tcp(F().ethernet(type).vlan(5, type).vlan(6, 0x0800))), FS_RECORD_KIND_IPV4_ENCAPSULATED);
  }
}

FrameBuilder tagged(unsigned tags) {
  F frame;
  frame.ethernet(0x8100);
  for (unsigned tag = 1; tag < tags; tag++) {
    frame.vlan(tag, 0x8100);
  }
  return with_tcp(frame.vlan(99, 0x0800));
}

FrameBuilder labelled(unsigned labels) {
  F frame;
  frame.ethernet(0x8847);
  for (unsigned label = 1; label < labels; label++) {
    frame.mpls(13, false);
  }
  return with_tcp(frame.mpls(0, true));
}

TEST(should_stop_at_the_profiles_bound_of_vlan_tags) {
  check_tcp(parse(tagged(32)), FS_RECORD_KIND_IPV4_ENCAPSULATED);
  check_other(parse(tagged(33)), FS_OTHER_REASON_TOO_DEEP, 0x8100);
  check_tcp(parse(tagged(2), FS_PARSE_PROFILE_CARD), FS_RECORD_KIND_IPV4_ENCAPSULATED);
  check_other(parse(tagged(3), FS_PARSE_PROFILE_CARD), FS_OTHER_REASON_TOO_DEEP, 0x8100);
}

TEST(should_stop_at_the_profiles_bound_of_mpls_labels) {
  check_tcp(parse(labelled(32)), FS_RECORD_KIND_IPV4_ENCAPSULATED);
  check_other(parse(labelled(33)), FS_OTHER_REASON_TOO_DEEP, 0x8847);
  check_tcp(parse(labelled(3), FS_PARSE_PROFILE_CARD), FS_RECORD_KIND_IPV4_ENCAPSULATED);
  check_other(parse(labelled(4), FS_PARSE_PROFILE_CARD), FS_OTHER_REASON_TOO_DEEP, 0x8847);
}

TEST(should_decide_by_the_nibble_below_the_bottom_label) {
  const auto ipv6 = parse(F().ethernet(0x8848).mpls(2, true).ipv6(6, 20).tcp(443, 5000));
  check_tcp(ipv6, FS_RECORD_KIND_IPV6_ENCAPSULATED);
  check_other(parse(F().ethernet(0x8847).mpls(16, true).zeros(40)), FS_OTHER_REASON_MPLS_NOT_IP, 0x8847);
  check_other(parse(F().ethernet(0x8847).mpls(16, true)), FS_OTHER_REASON_SHORT_LINK, 0x8847);
}

TEST(should_open_a_pppoe_session_below_two_tags) {
  check_tcp(parse(with_tcp(F().ethernet(0x88A8).vlan(1, 0x8100).vlan(2, 0x8864).pppoe(0x0021))),
            FS_RECORD_KIND_IPV4_ENCAPSULATED);
  check_tcp(parse(F().ethernet(0x8864).pppoe(0x0057).ipv6(6, 20).tcp(443, 5000)), FS_RECORD_KIND_IPV6_ENCAPSULATED);
  check_other(parse(F().ethernet(0x8864).pppoe(0xC021).zeros(40)), FS_OTHER_REASON_NOT_IP, 0xC021);
  check_other(parse(F().ethernet(0x8863).zeros(46)), FS_OTHER_REASON_NOT_IP, 0x8863);
}

TEST(should_open_snap_of_organization_0_only) {
  check_tcp(parse(with_tcp(F().ethernet(60).snap(0x0800))), FS_RECORD_KIND_IPV4);
  check_tcp(parse(with_tcp(F().ethernet(0x8100).vlan(5, 64).snap(0x8100).vlan(6, 0x0800))),
            FS_RECORD_KIND_IPV4_ENCAPSULATED);
  // Another organization's numbers are its own: its 0800 is not IPv4.
  check_other(parse(with_tcp(F().ethernet(60).raw({0xAA, 0xAA, 3, 0, 0, 0x0C}).number16(0x0800))),
              FS_OTHER_REASON_NOT_IP, 0x0800);
  check_other(parse(F().ethernet(38).raw({0x42, 0x42, 3}).zeros(35)), FS_OTHER_REASON_NOT_IP, 0x4242);
  check_other(parse(with_tcp(F().ethernet(60).snap(60).snap(0x0800))), FS_OTHER_REASON_NOT_IP, 60);
  check_other(parse(F().ethernet(60).raw({0xAA, 0xAA, 3, 0})), FS_OTHER_REASON_SHORT_LINK, 0);
}

TEST(should_read_linux_cooked_frames) {
  check_tcp(parse(with_tcp(F(113).zeros(14).number16(0x0800))), FS_RECORD_KIND_IPV4);
  check_tcp(parse(with_tcp(F(113).zeros(14).number16(0x8100).vlan(3, 0x0800))), FS_RECORD_KIND_IPV4);
  check_tcp(parse(with_tcp(F(113).zeros(14).number16(4).snap(0x0800))), FS_RECORD_KIND_IPV4);
  check_tcp(parse(with_tcp(F(276).number16(0x0800).zeros(18))), FS_RECORD_KIND_IPV4);
  check_other(parse(F(113).zeros(14).number16(0x000C).zeros(20)), FS_OTHER_REASON_NOT_IP, 0x000C);
  check_other(parse(F(113).zeros(15)), FS_OTHER_REASON_SHORT_LINK, 0);
  check_other(parse(F(276).zeros(19)), FS_OTHER_REASON_SHORT_LINK, 0);
}

TEST(should_read_raw_ip) {
  for (uint16_t link : {12, 14, 101, 228}) {
    check_tcp(parse(F(link).ipv4(6, 20).tcp(443, 5000)), FS_RECORD_KIND_IPV4);
  }
  for (uint16_t link : {12, 14, 101, 229}) {
    check_tcp(parse(F(link).ipv6(6, 20).tcp(443, 5000)), FS_RECORD_KIND_IPV6);
  }
  check_other(parse(F(101).raw({0x50}).zeros(40)), FS_OTHER_REASON_BAD_IP, 0);
  check_other(parse(F(228).ipv6(6, 20)), FS_OTHER_REASON_BAD_IP, 0x0800);
  check_other(parse(F(101)), FS_OTHER_REASON_SHORT_IP, 0);
}

TEST(should_read_bsd_loopback_in_both_byte_orders) {
  for (uint16_t link : {0, 108}) {
    check_tcp(parse(with_tcp(F(link).raw({2, 0, 0, 0}))), FS_RECORD_KIND_IPV4);
    check_tcp(parse(with_tcp(F(link).raw({0, 0, 0, 2}))), FS_RECORD_KIND_IPV4);
    for (int family : {24, 28, 30}) {
      check_tcp(parse(F(link).raw({family, 0, 0, 0}).ipv6(6, 20).tcp(443, 5000)), FS_RECORD_KIND_IPV6);
      check_tcp(parse(F(link).raw({0, 0, 0, family}).ipv6(6, 20).tcp(443, 5000)), FS_RECORD_KIND_IPV6);
    }
    check_other(parse(F(link).raw({7, 0, 0, 0}).zeros(40)), FS_OTHER_REASON_NOT_IP, 7);
  }
}

TEST(should_read_ppp_and_cisco_hdlc) {
  for (uint16_t link : {9, 50}) {
    check_tcp(parse(with_tcp(F(link).raw({0xFF, 3, 0, 0x21}))), FS_RECORD_KIND_IPV4);
    check_tcp(parse(with_tcp(F(link).raw({0, 0x21}))), FS_RECORD_KIND_IPV4);
    check_tcp(parse(with_tcp(F(link).raw({0x21}))), FS_RECORD_KIND_IPV4);
    check_tcp(parse(with_tcp(F(link).raw({0x0F, 0, 8, 0}))), FS_RECORD_KIND_IPV4);
    check_tcp(parse(with_tcp(F(link).raw({0xFF, 3, 2, 0x81}).mpls(9, true))), FS_RECORD_KIND_IPV4_ENCAPSULATED);
    check_other(parse(F(link).raw({0xFF, 3, 0xC0, 0x21}).zeros(40)), FS_OTHER_REASON_NOT_IP, 0xC021);
  }
  check_tcp(parse(with_tcp(F(51).pppoe(0x0021))), FS_RECORD_KIND_IPV4_ENCAPSULATED);
  check_tcp(parse(with_tcp(F(104).raw({0x8F, 0, 8, 0}))), FS_RECORD_KIND_IPV4);
  check_tcp(parse(with_tcp(F(166).raw({1, 3, 0, 0x21}))), FS_RECORD_KIND_IPV4);
  check_tcp(parse(with_tcp(F(204).raw({1, 0xFF, 3, 0, 0x21}))), FS_RECORD_KIND_IPV4);
  check_tcp(parse(with_tcp(F(204).raw({0, 0, 0x21}))), FS_RECORD_KIND_IPV4);
}

TEST(should_name_the_link_type_it_does_not_handle) {
  check_other(parse(F(253).zeros(64)), FS_OTHER_REASON_LINK_TYPE, 253);
  check_other(parse(F(101).ipv4(6, 20).tcp(443, 5000), FS_PARSE_PROFILE_CARD), FS_OTHER_REASON_LINK_TYPE, 101);
}

TEST(should_name_the_erf_type_it_does_not_handle) {
  const F frame = with_tcp(F().ethernet(0x0800));
  fs_raw_packet packet = describe(frame);
  packet.flags = FS_RAW_PACKET_FLAG_ERF_TYPE;
  packet.link_type = 21;
  check_other(parse(frame, packet), FS_OTHER_REASON_ERF_TYPE, 21);
  packet.link_type = 1;  // ERF type 1 is not DLT 1
  check_other(parse(frame, packet), FS_OTHER_REASON_ERF_TYPE, 1);
}

TEST(should_tell_where_layer_2_is_cut) {
  check_other(parse(F().ethernet(0x0800).cut(13)), FS_OTHER_REASON_SHORT_LINK, 0);
  check_other(parse(F()), FS_OTHER_REASON_SHORT_LINK, 0);
  check_other(parse(F().ethernet(0x8100).zeros(3)), FS_OTHER_REASON_SHORT_LINK, 0x8100);
  check_other(parse(F().ethernet(0x8847).mpls(5, false).zeros(3)), FS_OTHER_REASON_SHORT_LINK, 0x8847);
  check_other(parse(F().ethernet(0x8864).zeros(5)), FS_OTHER_REASON_SHORT_LINK, 0x8864);
  check_other(parse(F().ethernet(0x8864).zeros(7)), FS_OTHER_REASON_SHORT_LINK, 0);
}

}  // namespace
}  // namespace flowstone::test
