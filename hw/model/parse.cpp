// SPDX-License-Identifier: Apache-2.0
//
// Layers 3 and 4, and the record that comes of them.
#include "flow_hash.hpp"
#include "key_group.hpp"
#include "link.hpp"

namespace flowstone {
namespace {

enum Protocol : uint8_t {
    HOP_BY_HOP = 0,
    ICMP = 1,
    TCP = 6,
    UDP = 17,
    DCCP = 33,
    ROUTING = 43,
    FRAGMENT = 44,
    AUTHENTICATION = 51,
    ICMPV6 = 58,
    DESTINATION_OPTIONS = 60,
    SCTP = 132,
    UDP_LITE = 136,
};

constexpr uint32_t IPV4_HEADER_BYTES = 20;
constexpr uint32_t IPV6_HEADER_BYTES = 40;
constexpr uint32_t MOST_FRAME_LENGTH = FS_PACKET_RECORD_FRAME_LENGTH_MASK;
constexpr uint16_t PAYLOAD_SATURATED = 0xfffe;
constexpr uint16_t PAYLOAD_UNREADABLE = 0xffff;
constexpr uint16_t INGRESS_PORT_FLAG = 4;

// Where layer 4 lies: header bytes that were captured and belong to the packet end at `end`; by the IP
// header (or, where that says nothing, the wire length) it has `length` bytes.
struct Transport {
    uint32_t offset;
    uint32_t end;
    uint32_t length;
    uint8_t protocol;
    bool later_fragment;
};

uint32_t minus(uint32_t a, uint32_t b) { return a > b ? a - b : 0; }

uint32_t header_bytes(Bytes frame, const Transport& transport) {
    switch (transport.protocol) {
        case TCP:
            return transport.end - transport.offset >= 13 ? (frame.u8(transport.offset + 12) >> 4) * 4u : 0;
        case UDP:
        case UDP_LITE:
        case ICMP:
        case ICMPV6: return 8;
        case SCTP: return 12;
        case DCCP:
            return transport.end - transport.offset >= 5 ? frame.u8(transport.offset + 4) * 4u : 0;
        default: return 0;
    }
}

bool has_ports(uint8_t protocol) {
    return protocol == TCP || protocol == UDP || protocol == SCTP || protocol == DCCP ||
           protocol == UDP_LITE;
}

bool has_header(uint8_t protocol) {
    return has_ports(protocol) || protocol == ICMP || protocol == ICMPV6;
}

uint16_t payload_length(Bytes frame, const Transport& transport) {
    uint32_t header = 0;
    if (!transport.later_fragment && has_header(transport.protocol)) {
        header = header_bytes(frame, transport);
        bool readable = header != 0 && transport.end >= transport.offset + 4;
        if (!readable) return PAYLOAD_UNREADABLE;
    }
    uint32_t payload = minus(transport.length, header);
    return static_cast<uint16_t>(payload < PAYLOAD_SATURATED ? payload : PAYLOAD_SATURATED);
}

void read_transport(Bytes frame, const Transport& transport, fs_packet_record& record) {
    record.protocol = transport.protocol;
    record.payload_length = payload_length(frame, transport);
    record.source_port = record.destination_port = 0;
    record.sequence = record.acknowledgement = 0;
    record.tcp_window = 0;
    record.tcp_flags = 0;
    if (transport.later_fragment) return;
    uint32_t at = transport.offset;
    uint32_t readable = minus(transport.end, at);
    if (has_ports(transport.protocol) && readable >= 4) {
        record.source_port = frame.be16(at);
        record.destination_port = frame.be16(at + 2);
    }
    if (transport.protocol == TCP) {
        if (readable >= 8) record.sequence = frame.be32(at + 4);
        if (readable >= 12) record.acknowledgement = frame.be32(at + 8);
        if (readable >= 14) record.tcp_flags = frame.u8(at + 13);
        if (readable >= 16) record.tcp_window = frame.be16(at + 14);
    } else {
        if (readable >= 4) record.sequence = frame.be32(at);
        if (readable >= 8) record.acknowledgement = frame.be32(at + 4);
    }
}

void put_descriptor(const fs_raw_packet& packet, uint32_t kind, bool later_fragment,
                    fs_packet_record& record) {
    uint32_t length = packet.wire_bytes < MOST_FRAME_LENGTH ? packet.wire_bytes : MOST_FRAME_LENGTH;
    record.descriptor = length | kind << FS_PACKET_RECORD_KIND_SHIFT |
                        static_cast<uint32_t>(later_fragment) << FS_PACKET_RECORD_LATER_FRAGMENT_SHIFT |
                        static_cast<uint32_t>((packet.flags & INGRESS_PORT_FLAG) != 0)
                            << FS_PACKET_RECORD_INGRESS_PORT_SHIFT;
}

__attribute__((noinline)) void put_other(const fs_raw_packet& packet, uint16_t reason,
                                         uint16_t protocol, fs_packet_record& record) {
    std::memset(&record, 0, sizeof record);
    record.time_low = static_cast<uint32_t>(packet.time_ns);
    record.source_port = reason;
    record.destination_port = protocol;
    record.payload_length = PAYLOAD_UNREADABLE;
    put_descriptor(packet, FS_RECORD_KIND_OTHER, false, record);
}

void read_ipv4(Bytes frame, const fs_raw_packet& packet, const Link& link, fs_packet_record& record) {
    uint32_t at = link.offset;
    if (!frame.has(at, IPV4_HEADER_BYTES)) {
        return put_other(packet, FS_OTHER_REASON_SHORT_IP, 0, record);
    }
    uint8_t first = frame.u8(at);
    uint32_t header = (first & 15) * 4u;
    if (first >> 4 != 4 || header < IPV4_HEADER_BYTES) {
        return put_other(packet, FS_OTHER_REASON_BAD_IP, 0, record);
    }
    uint32_t total = frame.be16(at + 2);
    uint16_t fragment = frame.be16(at + 6);
    Transport transport;
    transport.offset = at + header;
    transport.protocol = frame.u8(at + 9);
    transport.later_fragment = (fragment & 0x1fff) != 0;
    // A total length that cannot be (0 with segmentation offload) leaves the capture as the limit.
    bool plausible = total >= header;
    uint32_t end = plausible ? at + total : frame.length;
    transport.end = end < frame.length ? end : frame.length;
    transport.length = plausible ? total - header : minus(packet.wire_bytes, transport.offset);
    if (transport.end < transport.offset) transport.end = transport.offset;

    uint32_t source = frame.raw32(at + 12), destination = frame.raw32(at + 16);
    uint64_t mapped[4] = {0, 0xffff0000u | static_cast<uint64_t>(source) << 32, 0,
                          0xffff0000u | static_cast<uint64_t>(destination) << 32};
    std::memcpy(record.source_address, mapped, sizeof mapped);
    record.type_of_service = frame.u8(at + 1);
    record.time_to_live = frame.u8(at + 8);
    read_transport(frame, transport, record);
    record.time_low = static_cast<uint32_t>(packet.time_ns);
    record.flow_hash = flow_hash_v4(source, destination, record.source_port, record.destination_port,
                                    record.protocol);
    uint32_t kind = link.encapsulated ? FS_RECORD_KIND_IPV4_ENCAPSULATED : FS_RECORD_KIND_IPV4;
    put_descriptor(packet, kind, transport.later_fragment, record);
}

bool is_extension(uint8_t protocol) {
    return protocol == HOP_BY_HOP || protocol == ROUTING || protocol == FRAGMENT ||
           protocol == AUTHENTICATION || protocol == DESTINATION_OPTIONS;
}

// A header of which less was captured is cut: its own number is then the packet's protocol.
constexpr uint32_t LEAST_EXTENSION_BYTES = 8;

// Walks the extension headers to the first other header. False: more of them than the profile walks.
bool walk_extension_headers(Bytes frame, const Depth& depth, Transport& transport) {
    for (uint32_t walked = 0;; walked++) {
        uint32_t at = transport.offset;
        if (!is_extension(transport.protocol) || !frame.has(at, LEAST_EXTENSION_BYTES)) return true;
        if (walked == depth.extension_headers) return false;
        uint32_t header;
        switch (transport.protocol) {
            default: // hop-by-hop, routing, destination options
                header = (frame.u8(at + 1) + 1u) * 8;
                break;
            case AUTHENTICATION:
                header = (frame.u8(at + 1) + 2u) * 4;
                break;
            case FRAGMENT:
                header = 8;
                transport.later_fragment = (frame.be16(at + 2) & 0xfff8) != 0;
                break;
        }
        transport.protocol = frame.u8(at);
        transport.offset = at + header;
        if (transport.later_fragment) return true;  // what follows is the middle of a packet
    }
}

void read_ipv6(Bytes frame, const fs_raw_packet& packet, const Link& link, const Depth& depth,
               fs_packet_record& record) {
    uint32_t at = link.offset;
    if (!frame.has(at, IPV6_HEADER_BYTES)) {
        return put_other(packet, FS_OTHER_REASON_SHORT_IP, 0, record);
    }
    uint32_t word = frame.be32(at);
    if (word >> 28 != 6) return put_other(packet, FS_OTHER_REASON_BAD_IP, 0, record);
    uint32_t payload = frame.be16(at + 4);
    Transport transport;
    transport.offset = at + IPV6_HEADER_BYTES;
    transport.protocol = frame.u8(at + 6);
    transport.later_fragment = false;
    if (!walk_extension_headers(frame, depth, transport)) {
        return put_other(packet, FS_OTHER_REASON_TOO_DEEP, 0x86dd, record);
    }
    // Payload length 0: a jumbogram or segmentation offload; the capture is the limit.
    uint32_t packet_end = payload != 0 ? at + IPV6_HEADER_BYTES + payload : packet.wire_bytes;
    uint32_t end = payload != 0 ? packet_end : frame.length;
    transport.end = end < frame.length ? end : frame.length;
    transport.length = minus(packet_end, transport.offset);
    if (transport.end < transport.offset) transport.end = transport.offset;

    std::memcpy(record.source_address, frame.data + at + 8, 32);
    record.type_of_service = static_cast<uint8_t>(word >> 20);
    record.time_to_live = frame.u8(at + 7);
    read_transport(frame, transport, record);
    record.time_low = static_cast<uint32_t>(packet.time_ns);
    record.flow_hash = flow_hash({frame.raw64(at + 8), frame.raw64(at + 16), record.source_port},
                                 {frame.raw64(at + 24), frame.raw64(at + 32), record.destination_port},
                                 record.protocol);
    uint32_t kind = link.encapsulated ? FS_RECORD_KIND_IPV6_ENCAPSULATED : FS_RECORD_KIND_IPV6;
    put_descriptor(packet, kind, transport.later_fragment, record);
}

inline void parse_one(const uint8_t* base, const fs_raw_packet& packet, const Depth& depth,
                      fs_packet_record& record) {
    uint32_t captured =
        packet.captured_bytes < depth.window_bytes ? packet.captured_bytes : depth.window_bytes;
    Bytes frame = {base + packet.data_offset, captured};
    Link link = read_link(frame, packet, depth);
    switch (link.network) {
        case Network::IPV4: return read_ipv4(frame, packet, link, record);
        case Network::IPV6: return read_ipv6(frame, packet, link, depth, record);
        case Network::NONE: return put_other(packet, link.other_reason, link.other_protocol, record);
    }
}

// Frames lie scattered in a capture: ask for the next ones' headers while this one is parsed.
constexpr uint32_t PREFETCH_DISTANCE = 12;

}  // namespace
}  // namespace flowstone

extern "C" {

uint32_t flowstone_abi_version(void) { return FS_RING_FILE_HEADER_ABI_VERSION; }

uint32_t flowstone_key_group(uint32_t flow_hash, uint32_t max_parallelism) {
    return flowstone::key_group(flow_hash, max_parallelism);
}

uint32_t flowstone_flow_hash(const fs_packet_record* record) {
    using flowstone::Bytes;
    uint32_t kind = record->descriptor >> FS_PACKET_RECORD_KIND_SHIFT & FS_PACKET_RECORD_KIND_MASK;
    if (kind == FS_RECORD_KIND_OTHER) return 0;
    Bytes source = {record->source_address, 16}, destination = {record->destination_address, 16};
    return flowstone::flow_hash({source.raw64(0), source.raw64(8), record->source_port},
                                {destination.raw64(0), destination.raw64(8), record->destination_port},
                                record->protocol);
}

void flowstone_parse(const uint8_t* base, const fs_raw_packet* packets, uint32_t count,
                     uint32_t profile, fs_packet_record* records) {
    using namespace flowstone;
    const Depth& depth = profile == FLOWSTONE_PROFILE_CARD ? CARD_DEPTH : SOFTWARE_DEPTH;
    for (uint32_t i = 0; i < count; i++) {
        if (i + PREFETCH_DISTANCE < count) {
            const uint8_t* next = base + packets[i + PREFETCH_DISTANCE].data_offset;
            __builtin_prefetch(next);
            __builtin_prefetch(next + 64);
        }
        parse_one(base, packets[i], depth, records[i]);
    }
}

}  // extern "C"
