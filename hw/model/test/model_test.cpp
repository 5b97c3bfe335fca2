// SPDX-License-Identifier: Apache-2.0
#include "flowstone.h"
#include "frames.hpp"
#include "link.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>

namespace {

int failures = 0;

template <typename A, typename B>
void expect(const std::string& what, A found, B wanted) {
    if (found == static_cast<A>(wanted)) return;
    failures++;
    std::fprintf(stderr, "FAILED %s: found %llu, wanted %llu\n", what.c_str(),
                 static_cast<unsigned long long>(found), static_cast<unsigned long long>(wanted));
}

// A copy of exact size, so that the address sanitizer sees any read past the captured bytes.
fs_packet_record parse(const frames::Frame& frame, uint16_t link_type, uint32_t profile = 0,
                       uint16_t flags = 0, uint32_t wire_bytes = 0) {
    uint8_t* exact = static_cast<uint8_t*>(std::malloc(frame.size() ? frame.size() : 1));
    if (!frame.empty()) std::memcpy(exact, frame.data(), frame.size());
    fs_raw_packet packet{};
    packet.time_ns = 0x1122334455667788u;
    packet.captured_bytes = static_cast<uint32_t>(frame.size());
    packet.wire_bytes = wire_bytes ? wire_bytes : packet.captured_bytes;
    packet.link_type = link_type;
    packet.flags = flags;
    fs_packet_record record;
    std::memset(&record, 0xee, sizeof record);  // whatever the slot held before
    flowstone_parse(exact, &packet, 1, profile, &record);
    std::free(exact);
    return record;
}

fs_packet_record parse(const std::string& name) {
    for (const auto& frame : frames::all()) {
        if (frame.name == name) return parse(frame.bytes, frame.link_type);
    }
    std::fprintf(stderr, "no frame is named %s\n", name.c_str());
    std::exit(2);
}

uint32_t kind(const fs_packet_record& record) { return record.descriptor >> 26 & 7; }
bool later_fragment(const fs_packet_record& record) { return record.descriptor >> 24 & 1; }

void should_read_a_plain_tcp_syn() {
    fs_packet_record r = parse("plain TCP SYN");
    const uint8_t source[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 0, 0, 1};
    expect("kind", kind(r), FS_RECORD_KIND_IPV4);
    expect("time", r.time_low, 0x55667788);
    expect("source address", std::memcmp(r.source_address, source, 16), 0);
    expect("source port", r.source_port, 40000);
    expect("destination port", r.destination_port, 443);
    expect("sequence", r.sequence, 0x01020304);
    expect("acknowledgement", r.acknowledgement, 0x05060708);
    expect("window", r.tcp_window, 0x2000);
    expect("payload", r.payload_length, 0);
    expect("flags", r.tcp_flags, 0x02);
    expect("type of service", r.type_of_service, 0x2e);
    expect("time to live", r.time_to_live, 63);
    expect("length", r.descriptor & 0x7ffff, 60);
    expect("generation is the slot's affair", r.descriptor >> 29, 0);
    expect("hash", r.flow_hash, flowstone_flow_hash(&r));
}

struct Expected {
    uint32_t kind;
    uint32_t protocol_or_reason;
    uint32_t source_port;
    uint32_t payload;
};

void should_classify_every_odd_frame() {
    const uint32_t v4 = FS_RECORD_KIND_IPV4, v6 = FS_RECORD_KIND_IPV6, other = FS_RECORD_KIND_OTHER;
    const uint32_t in4 = FS_RECORD_KIND_IPV4_ENCAPSULATED;
    const std::map<std::string, Expected> expected = {
        {"plain TCP SYN", {v4, 6, 40000, 0}},
        {"UDP in IPv6", {v6, 17, 12345, 4}},
        {"one VLAN tag", {v4, 17, 12345, 4}},
        {"four VLAN tags of all kinds", {in4, 6, 40000, 0}},
        {"two MPLS labels", {in4, 6, 40000, 0}},
        {"MPLS over nothing known", {other, FS_OTHER_REASON_MPLS_NOT_IP, 0, 0}},
        {"PPPoE", {in4, 6, 40000, 0}},
        {"SNAP", {v4, 17, 12345, 0}},
        {"LLC without SNAP", {other, FS_OTHER_REASON_NOT_IP, 0, 0}},
        {"ARP", {other, FS_OTHER_REASON_NOT_IP, 0, 0}},
        {"IPv4 with options", {v4, 6, 40000, 0}},
        {"first fragment", {v4, 17, 12345, 1472}},
        {"later fragment", {v4, 17, 0, 1480}},
        {"IPv4 version 5", {other, FS_OTHER_REASON_BAD_IP, 0, 0}},
        {"IPv4 cut in its header", {other, FS_OTHER_REASON_SHORT_IP, 0, 0}},
        {"total length 0", {v4, 6, 40000, 0}},
        {"padding that looks like ports", {v4, 6, 0, 0xffff}},
        {"hop-by-hop, routing, destination options", {v6, 6, 40000, 0}},
        {"atomic IPv6 fragment", {v6, 17, 12345, 0}},
        {"later IPv6 fragment", {v6, 17, 0, 8}},
        {"extension header cut", {v6, 0, 0, 44}},
        {"jumbo payload length 0", {v6, 6, 40000, 32}},
        {"GRE is not opened", {v4, 47, 0, 24}},
        {"cut in the Ethernet header", {other, FS_OTHER_REASON_SHORT_LINK, 0, 0}},
        {"empty", {other, FS_OTHER_REASON_SHORT_LINK, 0, 0}},
        {"Linux cooked", {v4, 6, 40000, 0}},
        {"Linux cooked 2", {v6, 17, 12345, 0}},
        {"raw IPv6", {v6, 58, 0, 0}},
        {"BSD loopback, big-endian", {v4, 6, 40000, 0}},
        {"BSD loopback, little-endian IPv6", {v6, 6, 40000, 0}},
        {"PPP with address and control", {v4, 6, 40000, 0}},
        {"PPP, protocol compressed", {v4, 6, 40000, 0}},
        {"Cisco HDLC", {v4, 6, 40000, 0}},
        {"IEEE 802.11", {other, FS_OTHER_REASON_LINK_TYPE, 0, 0}},
    };
    for (const auto& frame : frames::all()) {
        auto found = expected.find(frame.name);
        if (found == expected.end()) {
            expect("an expectation for " + frame.name, 0, 1);
            continue;
        }
        fs_packet_record r = parse(frame.bytes, frame.link_type);
        expect(frame.name + ": kind", kind(r), found->second.kind);
        if (kind(r) == other) {
            expect(frame.name + ": reason", r.source_port, found->second.protocol_or_reason);
            expect(frame.name + ": no hash", r.flow_hash, 0);
        } else {
            expect(frame.name + ": protocol", r.protocol, found->second.protocol_or_reason);
            expect(frame.name + ": source port", r.source_port, found->second.source_port);
            expect(frame.name + ": payload", r.payload_length, found->second.payload);
            expect(frame.name + ": hash", r.flow_hash, flowstone_flow_hash(&r));
        }
    }
    expect("later fragment bit", later_fragment(parse("later fragment")), true);
    expect("first fragment bit", later_fragment(parse("first fragment")), false);
    expect("later IPv6 fragment bit", later_fragment(parse("later IPv6 fragment")), true);
}

void should_never_read_past_the_capture() {
    for (const auto& frame : frames::all()) {
        for (size_t length = 0; length <= frame.bytes.size(); length++) {
            frames::Frame cut(frame.bytes.begin(), frame.bytes.begin() + static_cast<long>(length));
            for (uint32_t profile = 0; profile < 2; profile++) {
                uint32_t found = kind(parse(cut, frame.link_type, profile));
                expect(frame.name + " cut: kind", found >= FS_RECORD_KIND_IPV4 && found <= FS_RECORD_KIND_IPV6_ENCAPSULATED, true);
            }
        }
    }
}

void should_hash_both_directions_alike() {
    fs_packet_record there = parse("plain TCP SYN"), back = there;
    std::memcpy(back.source_address, there.destination_address, 16);
    std::memcpy(back.destination_address, there.source_address, 16);
    back.source_port = there.destination_port;
    back.destination_port = there.source_port;
    expect("hash of the way back", flowstone_flow_hash(&back), there.flow_hash);
    back.source_port++;
    expect("another port, another hash", flowstone_flow_hash(&back) == there.flow_hash, false);
}

void should_saturate_frame_lengths() {
    fs_packet_record r = parse(frames::all()[0].bytes, 1, 0, 0, 600000);
    expect("saturated length", r.descriptor & 0x7ffff, 0x7ffff);
}

void should_stop_where_the_card_stops() {
    using namespace frames;
    Frame deep = ethernet(0x8100) + vlan(0x8100) + vlan(0x8100) + vlan(0x0800) + ipv4(6, 20) + tcp(2);
    expect("software walks three tags", kind(parse(deep, 1, FLOWSTONE_PROFILE_SOFTWARE)), FS_RECORD_KIND_IPV4_ENCAPSULATED);
    fs_packet_record card = parse(deep, 1, FLOWSTONE_PROFILE_CARD);
    expect("the card stops at three tags", kind(card), FS_RECORD_KIND_OTHER);
    expect("and says why", card.source_port, FS_OTHER_REASON_TOO_DEEP);
    Frame raw = ipv4(6, 20) + tcp(2);
    expect("the card knows Ethernet only", parse(raw, 101, FLOWSTONE_PROFILE_CARD).source_port, FS_OTHER_REASON_LINK_TYPE);
    Frame long_way = ethernet(0x86dd) + ipv6(0, 200) + Frame{6, 8} + zeros(70) + tcp(2);
    expect("the card sees 128 bytes", parse(long_way, 1, FLOWSTONE_PROFILE_CARD).tcp_flags, 0);
    expect("software sees all", parse(long_way, 1).tcp_flags, 2);
}

void should_bound_every_stack() {
    using namespace frames;
    Frame tags = ethernet(0x8100), labels = ethernet(0x8847);
    for (int i = 0; i < 40; i++) {
        tags = tags + vlan(0x8100);
        labels = labels + mpls(false);
    }
    expect("40 tags", parse(tags, 1).source_port, FS_OTHER_REASON_TOO_DEEP);
    expect("40 labels", parse(labels, 1).source_port, FS_OTHER_REASON_TOO_DEEP);
}

void should_know_flinks_key_groups() {
    // MathUtils.murmurHash of flink-core for these codes
    const std::map<uint32_t, uint32_t> hashes = {
        {0, 593689054}, {1, 68075478}, {0xffffffff, 1982413648}, {42, 1134849565}, {0x80000000, 1718298732}};
    for (auto [code, hash] : hashes) {
        expect("key group of 32768", flowstone_key_group(code, 32768), hash % 32768);
        expect("key group of 100", flowstone_key_group(code, 100), hash % 100);
    }
}

struct Ring {
    fs_packet_record slots[8];
    fs_ring_target target{};
    Ring() {
        std::memset(slots, 0, sizeof slots);
        target.slots_address = reinterpret_cast<uint64_t>(slots);
        target.slots_log2 = 3;
        target.limit = 100;
        target.time_base_ns = 5'000'000'000;
    }
};

void should_scatter_until_a_ring_needs_its_writer() {
    Ring ring;
    uint8_t table[128] = {};
    fs_raw_packet packets[4] = {};
    fs_packet_record records[4] = {};
    for (auto& packet : packets) {
        packet.time_ns = 5'000'000'001;
        packet.wire_bytes = 100;
    }
    uint32_t stopped = 9, why = 9;
    auto scatter = [&](uint32_t first) {
        return flowstone_scatter(packets, records, first, 4, table, 128, &ring.target, &stopped, &why);
    };
    expect("all placed", scatter(0), 4);
    expect("done", why, FLOWSTONE_STOP_DONE);
    expect("position", ring.target.position, 4);
    expect("packets", ring.target.written_packets, 4);
    expect("bytes", ring.target.written_bytes, 400);
    expect("generation of lap 0", ring.slots[3].descriptor >> 29, 1);

    ring.target.position = 8;
    ring.target.limit = 9;
    expect("room for one", scatter(0), 1);
    expect("no room", why, FLOWSTONE_STOP_NO_ROOM);
    expect("which ring", stopped, 0);
    expect("generation of lap 1", ring.slots[0].descriptor >> 29, 2);

    ring.target.limit = 100;
    auto stops_for_time = [&](uint64_t time_ns) {
        packets[1].time_ns = time_ns;
        return scatter(1) == 1 && why == FLOWSTONE_STOP_NEEDS_TIME;
    };
    expect("a second ahead", stops_for_time(6'000'000'000), true);
    expect("less than a second ahead", stops_for_time(5'999'999'999), false);
    expect("a second behind", stops_for_time(4'000'000'000), true);
    expect("less than a second behind", stops_for_time(4'000'000'001), false);
    packets[1].flags = 1;
    expect("no time", stops_for_time(5'000'000'000), true);
    packets[1].flags = 0;
    ring.target.needs_time = 1;
    expect("no clock yet", stops_for_time(5'000'000'000), true);
}

}  // namespace

int main() {
    should_read_a_plain_tcp_syn();
    should_classify_every_odd_frame();
    should_never_read_past_the_capture();
    should_hash_both_directions_alike();
    should_saturate_frame_lengths();
    should_stop_where_the_card_stops();
    should_bound_every_stack();
    should_know_flinks_key_groups();
    should_scatter_until_a_ring_needs_its_writer();
    std::printf("parser model: %s\n", failures == 0 ? "all tests passed" : "FAILED");
    return failures == 0 ? 0 : 1;
}
