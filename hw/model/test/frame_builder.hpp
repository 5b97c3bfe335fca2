// SPDX-License-Identifier: Apache-2.0
// Frames written header by header, outermost first: FrameBuilder().ethernet(0x0800).ipv4(6, 20).tcp(443, 5000).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace flowstone::test {

class FrameBuilder {
 public:
  std::vector<uint8_t> bytes;
  uint16_t link_type = 1;

  explicit FrameBuilder(uint16_t link = 1) : link_type(link) {}

  FrameBuilder& raw(std::initializer_list<int> values) {
    for (int value : values) {
      bytes.push_back(static_cast<uint8_t>(value));
    }
    return *this;
  }

  FrameBuilder& number16(unsigned value) { return raw({static_cast<int>(value >> 8), static_cast<int>(value & 255)}); }
  FrameBuilder& number32(uint32_t value) { return number16(value >> 16).number16(value & 0xFFFF); }

  FrameBuilder& zeros(size_t count) {
    bytes.insert(bytes.end(), count, 0);
    return *this;
  }

  FrameBuilder& ethernet(unsigned type) { return raw({2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2}).number16(type); }

  /** The tag's own EtherType was written by the header before; this writes its 4 bytes. */
  FrameBuilder& vlan(unsigned identifier, unsigned next_type) { return number16(identifier).number16(next_type); }

  FrameBuilder& mpls(uint32_t label, bool bottom) { return number32(label << 12 | (bottom ? 1u << 8 : 0) | 64); }

  FrameBuilder& pppoe(unsigned protocol) { return number16(0x1100).number16(7).number16(1400).number16(protocol); }

  FrameBuilder& snap(unsigned type) { return raw({0xAA, 0xAA, 3, 0, 0, 0}).number16(type); }

  /** 10.0.0.1 to 10.0.0.2. The total length covers layer4_bytes and the options. */
  FrameBuilder& ipv4(unsigned protocol, unsigned layer4_bytes, unsigned fragment = 0, unsigned header_words = 5) {
    number16(0x4000 | header_words << 8 | 0x2E).number16(header_words * 4 + layer4_bytes);
    number16(0x1234).number16(fragment).raw({63, static_cast<int>(protocol)}).number16(0);
    return raw({10, 0, 0, 1, 10, 0, 0, 2}).zeros(header_words > 5 ? (header_words - 5) * 4 : 0);
  }

  /** 2001:db8::1 to 2001:db8::2. */
  FrameBuilder& ipv6(unsigned next_header, unsigned payload_bytes) {
    number32(0x6B800000u).number16(payload_bytes).raw({static_cast<int>(next_header), 61});
    number32(0x20010DB8u).zeros(11).raw({1});
    return number32(0x20010DB8u).zeros(11).raw({2});
  }

  /** An extension header of (length + 1) * 8 bytes. */
  FrameBuilder& extension(unsigned next_header, unsigned length = 0) {
    return raw({static_cast<int>(next_header), static_cast<int>(length)}).zeros((length + 1) * 8 - 2);
  }

  FrameBuilder& fragment_header(unsigned next_header, unsigned offset_bytes, bool more) {
    return raw({static_cast<int>(next_header), 0}).number16(offset_bytes | (more ? 1 : 0)).number32(99);
  }

  FrameBuilder& tcp(unsigned source, unsigned destination, unsigned flags = 0x12, unsigned header_words = 5) {
    number16(source).number16(destination).number32(0x01020304).number32(0x0A0B0C0D);
    raw({static_cast<int>(header_words << 4), static_cast<int>(flags)}).number16(0xFACE).number32(0);
    return zeros(header_words > 5 ? (header_words - 5) * 4 : 0);
  }

  FrameBuilder& udp(unsigned source, unsigned destination, unsigned length) {
    return number16(source).number16(destination).number16(length).number16(0xBEEF);
  }

  FrameBuilder& cut(size_t length) {
    bytes.resize(length);
    return *this;
  }
};

struct OddFrame {
  std::string odd;  // what is odd about it
  FrameBuilder frame;
};

/** The frames that the mutation loop and the fuzzer start from. Cold: a compiler that optimises the whole list with sanitizers takes
 *  ten seconds for it. */
[[gnu::cold]] inline std::vector<OddFrame> odd_frames() {
  using F = FrameBuilder;
  F many_tags, many_labels, many_extensions;
  many_tags.ethernet(0x8100);
  many_labels.ethernet(0x8847);
  for (int index = 0; index < 31; index++) {
    many_tags.vlan(7, 0x88A8);
    many_labels.mpls(20, false);
  }
  many_tags.vlan(8, 0x0800).ipv4(6, 20).tcp(1, 2);
  many_labels.mpls(21, true).ipv4(17, 8).udp(1, 2, 8);
  many_extensions.ethernet(0x86DD).ipv6(0, 20 * 8 + 20);
  for (int index = 0; index < 19; index++) {
    many_extensions.extension(60);
  }
  many_extensions.extension(6).tcp(1, 2);
  return {
      {"tcp over ipv4", F().ethernet(0x0800).ipv4(6, 20).tcp(443, 5000)},
      {"udp over ipv4", F().ethernet(0x0800).ipv4(17, 28).udp(53, 4000, 28).zeros(20)},
      {"tcp over ipv6", F().ethernet(0x86DD).ipv6(6, 24).tcp(443, 5000).zeros(4)},
      {"udp over ipv6", F().ethernet(0x86DD).ipv6(17, 18).udp(53, 4000, 18).zeros(10)},
      {"one vlan tag", F().ethernet(0x8100).vlan(5, 0x0800).ipv4(6, 32).tcp(1, 2, 2, 8)},
      {"one vlan tag ipv6", F().ethernet(0x8100).vlan(5, 0x86DD).ipv6(6, 20).tcp(1, 2)},
      {"two vlan tags", F().ethernet(0x88A8).vlan(5, 0x8100).vlan(6, 0x0800).ipv4(17, 8).udp(1, 2, 8)},
      {"32 vlan tags", many_tags},
      {"32 mpls labels", many_labels},
      {"three mpls labels",
       F().ethernet(0x8847).mpls(16, false).mpls(13, false).mpls(0, true).ipv6(17, 8).udp(1, 2, 8)},
      {"pseudowire below mpls", F().ethernet(0x8848).mpls(16, true).zeros(40)},
      {"pppoe", F().ethernet(0x8864).pppoe(0x0021).ipv4(6, 20).tcp(1, 2)},
      {"pppoe ipv6", F().ethernet(0x8864).pppoe(0x0057).ipv6(6, 20).tcp(1, 2)},
      {"snap", F().ethernet(60).snap(0x0800).ipv4(6, 20).tcp(1, 2)},
      {"spanning tree", F().ethernet(38).raw({0x42, 0x42, 3}).zeros(35)},
      {"arp", F().ethernet(0x0806).zeros(46)},
      {"ip options", F().ethernet(0x0800).ipv4(6, 20, 0, 15).tcp(1, 2)},
      {"first fragment", F().ethernet(0x0800).ipv4(17, 24, 0x2000).udp(1, 2, 2000).zeros(16)},
      {"later fragment", F().ethernet(0x0800).ipv4(17, 24, 0x00B9).zeros(24)},
      {"20 extension headers", many_extensions},
      {"extension headers", F().ethernet(0x86DD).ipv6(0, 44).extension(43).extension(60, 1).extension(6).zeros(4)},
      {"ports behind a card's window", F().ethernet(0x86DD).ipv6(60, 100).extension(17, 8).udp(1, 2, 28).zeros(20)},
      {"authentication header", F().ethernet(0x86DD).ipv6(51, 44).extension(6).zeros(16).tcp(1, 2)},
      {"ipv6 first fragment", F().ethernet(0x86DD).ipv6(44, 28).fragment_header(6, 0, true).tcp(1, 2)},
      {"ipv6 later fragment", F().ethernet(0x86DD).ipv6(44, 28).fragment_header(6, 1400, false).zeros(20)},
      {"ipv6 payload length 0", F().ethernet(0x86DD).ipv6(6, 0).tcp(1, 2).zeros(100)},
      {"sctp", F().ethernet(0x0800).ipv4(132, 32).number16(9).number16(8).zeros(28)},
      {"dccp", F().ethernet(0x0800).ipv4(33, 24).number16(9).number16(8).raw({4}).zeros(19)},
      {"udp-lite", F().ethernet(0x0800).ipv4(136, 16).udp(9, 8, 16).zeros(8)},
      {"icmp", F().ethernet(0x0800).ipv4(1, 16).raw({8, 0}).zeros(14)},
      {"gre", F().ethernet(0x0800).ipv4(47, 28).number16(0).number16(0x0800).ipv4(6, 0)},
      {"linux cooked", F(113).zeros(14).number16(0x0800).ipv4(6, 20).tcp(1, 2)},
      {"linux cooked v2", F(276).number16(0x86DD).zeros(18).ipv6(6, 20).tcp(1, 2)},
      {"raw", F(101).ipv4(6, 20).tcp(1, 2)},
      {"raw ipv6", F(229).ipv6(6, 20).tcp(1, 2)},
      {"loopback little-endian", F(0).raw({2, 0, 0, 0}).ipv4(6, 20).tcp(1, 2)},
      {"loopback big-endian", F(108).raw({0, 0, 0, 30}).ipv6(6, 20).tcp(1, 2)},
      {"ppp", F(9).raw({0xFF, 3, 0, 0x21}).ipv4(6, 20).tcp(1, 2)},
      {"ppp mpls", F(9).raw({2, 0x81}).mpls(9, true).ipv4(6, 20).tcp(1, 2)},
      {"cisco hdlc", F(104).raw({0x0F, 0, 0x86, 0xDD}).ipv6(6, 20).tcp(1, 2)},
      {"netlink", F(253).zeros(64)},
  };
}

}  // namespace flowstone::test
