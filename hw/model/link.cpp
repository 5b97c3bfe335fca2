// SPDX-License-Identifier: Apache-2.0
#include "link.hpp"

namespace flowstone {
namespace {

enum EtherType : uint16_t {
    IPV4 = 0x0800,
    IPV6 = 0x86dd,
    VLAN = 0x8100,
    PROVIDER_VLAN = 0x88a8,
    OLD_VLAN_9100 = 0x9100,
    OLD_VLAN_9200 = 0x9200,
    OLD_VLAN_9300 = 0x9300,
    MPLS_UNICAST = 0x8847,
    MPLS_MULTICAST = 0x8848,
    PPPOE_SESSION = 0x8864,
    LEAST_ETHER_TYPE = 0x0600,  // below: an IEEE 802.3 length
};

enum PppProtocol : uint16_t {
    PPP_IPV4 = 0x0021,
    PPP_IPV6 = 0x0057,
    PPP_MPLS_UNICAST = 0x0281,
    PPP_MPLS_MULTICAST = 0x0283,
};

// Link types by their DLT or LINKTYPE numbers.
enum LinkType : uint16_t {
    BSD_LOOPBACK = 0,
    ETHERNET = 1,
    PPP = 9,
    RAW_OPENBSD = 12,
    RAW_BSD = 14,
    PPP_SERIAL = 50,
    PPP_ETHER = 51,
    RAW = 101,
    CISCO_HDLC = 104,
    OPENBSD_LOOPBACK = 108,
    LINUX_COOKED = 113,
    RAW_IPV4 = 228,
    RAW_IPV6 = 229,
    LINUX_COOKED_2 = 276,
};

constexpr uint16_t ERF_TYPE_FLAG = 2;

Link none(uint16_t reason, uint16_t protocol) { return {Network::NONE, false, reason, protocol, 0}; }

Link short_link() { return none(FS_OTHER_REASON_SHORT_LINK, 0); }

// Walks what may stand between a link header and IP. One instance per frame that is not plain.
class Tower {
  public:
    Tower(Bytes frame, const Depth& depth) : frame(frame), depth(depth) {}

    Link ether_type(uint16_t type, uint32_t offset) {
        while (true) {
            switch (type) {
                case IPV4: return found(Network::IPV4, offset);
                case IPV6: return found(Network::IPV6, offset);
                case VLAN:
                case PROVIDER_VLAN:
                case OLD_VLAN_9100:
                case OLD_VLAN_9200:
                case OLD_VLAN_9300:
                    if (++tags > depth.vlan_tags) return none(FS_OTHER_REASON_TOO_DEEP, type);
                    if (!frame.has(offset, 4)) return short_link();
                    type = frame.be16(offset + 2);
                    offset += 4;
                    break;
                case MPLS_UNICAST:
                case MPLS_MULTICAST: return mpls(offset);
                case PPPOE_SESSION: return pppoe(offset);
                default: return type < LEAST_ETHER_TYPE ? llc(type, offset)
                                                        : none(FS_OTHER_REASON_NOT_IP, type);
            }
            if (type < LEAST_ETHER_TYPE) return llc(type, offset);
        }
    }

    Link ppp_protocol(uint16_t protocol, uint32_t offset) {
        switch (protocol) {
            case PPP_IPV4: return found(Network::IPV4, offset);
            case PPP_IPV6: return found(Network::IPV6, offset);
            case PPP_MPLS_UNICAST:
            case PPP_MPLS_MULTICAST: return mpls(offset);
            default: return none(FS_OTHER_REASON_NOT_IP, protocol);
        }
    }

    Link pppoe(uint32_t offset) {
        if (!frame.has(offset, 8)) return short_link();
        encapsulated = true;
        return ppp_protocol(frame.be16(offset + 6), offset + 8);
    }

    Link by_version_nibble(uint32_t offset) {
        if (!frame.has(offset, 1)) return none(FS_OTHER_REASON_SHORT_IP, 0);
        switch (frame.u8(offset) >> 4) {
            case 4: return found(Network::IPV4, offset);
            case 6: return found(Network::IPV6, offset);
            default: return none(FS_OTHER_REASON_BAD_IP, 0);
        }
    }

    Link found(Network network, uint32_t offset) const {
        return {network, encapsulated || tags > 1, 0, 0, offset};
    }

  private:
    Link mpls(uint32_t offset) {
        encapsulated = true;
        for (uint32_t labels = 1;; labels++, offset += 4) {
            if (labels > depth.mpls_labels) return none(FS_OTHER_REASON_TOO_DEEP, MPLS_UNICAST);
            if (!frame.has(offset, 4)) return short_link();
            bool bottom_of_stack = (frame.u8(offset + 2) & 1) != 0;
            if (bottom_of_stack) break;
        }
        offset += 4;
        if (!frame.has(offset, 1)) return short_link();
        Link below = by_version_nibble(offset);
        return below.network == Network::NONE ? none(FS_OTHER_REASON_MPLS_NOT_IP, MPLS_UNICAST) : below;
    }

    // IEEE 802.3 with a length: LLC, and IP only inside SNAP with OUI 0.
    Link llc(uint16_t length, uint32_t offset) {
        if (!frame.has(offset, 8)) return none(FS_OTHER_REASON_NOT_IP, length);
        bool snap = frame.be16(offset) == 0xaaaa && frame.u8(offset + 2) == 0x03;
        bool oui_zero = frame.u8(offset + 3) == 0 && frame.be16(offset + 4) == 0;
        uint16_t type = frame.be16(offset + 6);
        if (!snap || !oui_zero || type < LEAST_ETHER_TYPE) return none(FS_OTHER_REASON_NOT_IP, length);
        return ether_type(type, offset + 8);
    }

    Bytes frame;
    const Depth& depth;
    uint32_t tags = 0;
    bool encapsulated = false;
};

// The family number is in the byte order of the machine that captured, and IPv6's differs by system.
Link bsd_loopback(Bytes frame, Tower& tower) {
    if (!frame.has(0, 4)) return short_link();
    uint32_t family = frame.be32(0);
    if (family > 0xffff) family = __builtin_bswap32(family);
    switch (family) {
        case 2: return tower.found(Network::IPV4, 4);
        case 10:  // Linux
        case 24:  // NetBSD, OpenBSD
        case 28:  // FreeBSD
        case 30:  // macOS
            return tower.found(Network::IPV6, 4);
        default: return none(FS_OTHER_REASON_NOT_IP, static_cast<uint16_t>(family));
    }
}

Link ppp(Bytes frame, Tower& tower) {
    if (!frame.has(0, 2)) return short_link();
    uint32_t offset = frame.be16(0) == 0xff03 ? 2 : 0;  // address and control may be compressed away
    if (!frame.has(offset, 1)) return short_link();
    if (frame.u8(offset) & 1) return tower.ppp_protocol(frame.u8(offset), offset + 1);
    if (!frame.has(offset, 2)) return short_link();
    return tower.ppp_protocol(frame.be16(offset), offset + 2);
}

Link hdlc(Bytes frame, Tower& tower) {
    if (!frame.has(0, 4)) return short_link();
    return tower.ether_type(frame.be16(2), 4);
}

// Serial captures mix PPP in HDLC framing with Cisco's own.
Link ppp_serial(Bytes frame, Tower& tower) {
    if (!frame.has(0, 2)) return short_link();
    bool cisco = frame.u8(0) == 0x0f || frame.u8(0) == 0x8f;
    return cisco ? hdlc(frame, tower) : ppp(frame, tower);
}

__attribute__((noinline)) Link read_other_link(Bytes frame, const fs_raw_packet& packet,
                                               const Depth& depth) {
    if (packet.flags & ERF_TYPE_FLAG) return none(FS_OTHER_REASON_ERF_TYPE, packet.link_type);
    Tower tower(frame, depth);
    if (packet.link_type == ETHERNET) {
        return frame.has(0, 14) ? tower.ether_type(frame.be16(12), 14) : short_link();
    }
    if (depth.ethernet_only) return none(FS_OTHER_REASON_LINK_TYPE, packet.link_type);
    switch (packet.link_type) {
        case BSD_LOOPBACK:
        case OPENBSD_LOOPBACK: return bsd_loopback(frame, tower);
        case PPP: return ppp(frame, tower);
        case PPP_SERIAL: return ppp_serial(frame, tower);
        case PPP_ETHER: return tower.pppoe(0);
        case CISCO_HDLC: return hdlc(frame, tower);
        case RAW_OPENBSD:
        case RAW_BSD:
        case RAW:
        case RAW_IPV4:
        case RAW_IPV6: return tower.by_version_nibble(0);
        case LINUX_COOKED:
            return frame.has(0, 16) ? tower.ether_type(frame.be16(14), 16) : short_link();
        case LINUX_COOKED_2:
            return frame.has(0, 20) ? tower.ether_type(frame.be16(0), 20) : short_link();
        default: return none(FS_OTHER_REASON_LINK_TYPE, packet.link_type);
    }
}

}  // namespace

Link read_link(Bytes frame, const fs_raw_packet& packet, const Depth& depth) {
    bool plain = packet.link_type == ETHERNET && !(packet.flags & ERF_TYPE_FLAG) && frame.has(0, 18);
    if (plain) {
        uint16_t type = frame.be16(12);
        if (type == IPV4) return {Network::IPV4, false, 0, 0, 14};
        if (type == IPV6) return {Network::IPV6, false, 0, 0, 14};
        if (type == VLAN && frame.be16(16) == IPV4) return {Network::IPV4, false, 0, 0, 18};
    }
    return read_other_link(frame, packet, depth);
}

}  // namespace flowstone
