// SPDX-License-Identifier: Apache-2.0
//
// Frames made by hand, named by what is odd about them: fixtures and fuzzing seeds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace frames {

using Frame = std::vector<uint8_t>;

struct Named {
    std::string name;
    uint16_t link_type;
    Frame bytes;
};

inline Frame operator+(Frame a, const Frame& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

inline Frame ethernet(uint16_t type) {
    return {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, uint8_t(type >> 8), uint8_t(type)};
}

inline Frame vlan(uint16_t next) { return {0, 7, uint8_t(next >> 8), uint8_t(next)}; }

inline Frame mpls(bool bottom) { return {0, 1, uint8_t(0x40 | bottom), 64}; }

// 10.0.0.1 to 10.0.0.2; total length covers `payload` bytes after a plain header.
inline Frame ipv4(uint8_t protocol, uint16_t payload, uint16_t fragment = 0, uint8_t words = 5) {
    uint16_t total = uint16_t(words * 4 + payload);
    Frame header = {uint8_t(0x40 | words), 0x2e, uint8_t(total >> 8), uint8_t(total), 0, 1,
                    uint8_t(fragment >> 8), uint8_t(fragment), 63, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2};
    header.resize(words < 5 ? 20 : words * 4u);
    return header;
}

inline Frame ipv6(uint8_t next, uint16_t payload) {
    Frame header = {0x62, 0xe0, 0, 0, uint8_t(payload >> 8), uint8_t(payload), next, 63};
    header.resize(40);
    header[8] = header[24] = 0x20;
    header[9] = header[25] = 0x01;
    header[23] = 1;
    header[39] = 2;
    return header;
}

// 40000 to 443, sequence 0x01020304, acknowledgement 0x05060708, window 0x2000.
inline Frame tcp(uint8_t flags) {
    return {0x9c, 0x40, 0x01, 0xbb, 1, 2, 3, 4, 5, 6, 7, 8, 0x50, flags, 0x20, 0, 0, 0, 0, 0};
}

inline Frame udp(uint16_t payload) {
    uint16_t length = uint16_t(8 + payload);
    return {0x30, 0x39, 0, 53, uint8_t(length >> 8), uint8_t(length), 0, 0};
}

inline Frame extension(uint8_t next) { return {next, 0, 1, 4, 0, 0, 0, 0}; }

inline Frame fragment_header(uint8_t next, uint16_t offset_and_more) {
    return {next, 0, uint8_t(offset_and_more >> 8), uint8_t(offset_and_more), 0, 0, 0, 9};
}

inline Frame zeros(size_t count) { return Frame(count, 0); }

inline std::vector<Named> all() {
    return {
        {"plain TCP SYN", 1, ethernet(0x0800) + ipv4(6, 20) + tcp(0x02) + zeros(6)},
        {"UDP in IPv6", 1, ethernet(0x86dd) + ipv6(17, 12) + udp(4) + zeros(4)},
        {"one VLAN tag", 1, ethernet(0x8100) + vlan(0x0800) + ipv4(17, 12) + udp(4) + zeros(4)},
        {"four VLAN tags of all kinds", 1,
         ethernet(0x88a8) + vlan(0x9100) + vlan(0x9200) + vlan(0x8100) + vlan(0x0800) + ipv4(6, 20) + tcp(0x10)},
        {"two MPLS labels", 1, ethernet(0x8847) + mpls(false) + mpls(true) + ipv4(6, 20) + tcp(0x18)},
        {"MPLS over nothing known", 1, ethernet(0x8847) + mpls(true) + zeros(20)},
        {"PPPoE", 1, ethernet(0x8864) + Frame{0x11, 0, 0, 1, 0, 40, 0x00, 0x21} + ipv4(6, 20) + tcp(0x10)},
        {"SNAP", 1, ethernet(60) + Frame{0xaa, 0xaa, 3, 0, 0, 0, 8, 0} + ipv4(17, 8) + udp(0)},
        {"LLC without SNAP", 1, ethernet(38) + Frame{0x42, 0x42, 3} + zeros(35)},
        {"ARP", 1, ethernet(0x0806) + zeros(28)},
        {"IPv4 with options", 1, ethernet(0x0800) + ipv4(6, 20, 0, 8) + tcp(0x12)},
        {"first fragment", 1, ethernet(0x0800) + ipv4(17, 1480, 0x2000) + udp(2000) + zeros(64)},
        {"later fragment", 1, ethernet(0x0800) + ipv4(17, 1480, 0x20b9) + zeros(64)},
        {"IPv4 version 5", 1, ethernet(0x0800) + Frame{0x55} + zeros(30)},
        {"IPv4 cut in its header", 1, ethernet(0x0800) + Frame{0x45, 0, 0, 40}},
        {"total length 0", 1, ethernet(0x0800) + Frame{0x45, 0, 0, 0, 0, 0, 0, 0, 64, 6, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8} + tcp(0x10)},
        {"padding that looks like ports", 1, ethernet(0x0800) + ipv4(6, 0) + Frame{0xff, 0xff, 0xff, 0xff}},
        {"hop-by-hop, routing, destination options", 1,
         ethernet(0x86dd) + ipv6(0, 44) + extension(43) + extension(60) + extension(6) + tcp(0x02)},
        {"atomic IPv6 fragment", 1, ethernet(0x86dd) + ipv6(44, 16) + fragment_header(17, 0) + udp(0)},
        {"later IPv6 fragment", 1, ethernet(0x86dd) + ipv6(44, 16) + fragment_header(17, 0x0b9 << 3) + zeros(8)},
        {"extension header cut", 1, ethernet(0x86dd) + ipv6(0, 44) + Frame{6, 0}},
        {"jumbo payload length 0", 1, ethernet(0x86dd) + ipv6(6, 0) + tcp(0x10) + zeros(32)},
        {"GRE is not opened", 1, ethernet(0x0800) + ipv4(47, 24) + zeros(4) + ipv4(6, 20)},
        {"cut in the Ethernet header", 1, zeros(13)},
        {"empty", 1, {}},
        {"Linux cooked", 113, zeros(14) + Frame{8, 0} + ipv4(6, 20) + tcp(0x10)},
        {"Linux cooked 2", 276, Frame{0x86, 0xdd} + zeros(18) + ipv6(17, 8) + udp(0)},
        {"raw IPv6", 101, ipv6(58, 8) + zeros(8)},
        {"BSD loopback, big-endian", 0, Frame{0, 0, 0, 2} + ipv4(6, 20) + tcp(2)},
        {"BSD loopback, little-endian IPv6", 0, Frame{30, 0, 0, 0} + ipv6(6, 20) + tcp(2)},
        {"PPP with address and control", 9, Frame{0xff, 3, 0, 0x21} + ipv4(6, 20) + tcp(2)},
        {"PPP, protocol compressed", 9, Frame{0x21} + ipv4(6, 20) + tcp(2)},
        {"Cisco HDLC", 104, Frame{0x0f, 0, 8, 0} + ipv4(6, 20) + tcp(2)},
        {"IEEE 802.11", 105, zeros(60)},
    };
}

}  // namespace frames
