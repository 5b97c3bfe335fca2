// SPDX-License-Identifier: Apache-2.0
// Layer 2: from the first captured byte to the first IP header, or the reason why there is none.
//
//   Ethernet, Linux cooked ──> EtherType ──> VLAN tags, LLC/SNAP ──┬──> IPv4, IPv6
//   PPP, Cisco HDLC ─────────> protocol ────────────────────┐      ├──> PPPoE ──> PPP protocol
//   BSD loopback, raw IP ────> family, version              └──────┴──> MPLS labels ──> first nibble
#pragma once

#include "bytes.hpp"
#include "frame.hpp"

namespace flowstone {

// Link types by their number in capture files (DLT).
enum LinkType : uint16_t {
  kLinkNull = 0,
  kLinkEthernet = 1,
  kLinkPpp = 9,
  kLinkRaw12 = 12,
  kLinkRaw14 = 14,
  kLinkPppHdlc = 50,
  kLinkPppEthernet = 51,
  kLinkRaw = 101,
  kLinkCiscoHdlc = 104,
  kLinkLoop = 108,
  kLinkCookedV1 = 113,
  kLinkPppd = 166,
  kLinkPppWithDirection = 204,
  kLinkIpv4 = 228,
  kLinkIpv6 = 229,
  kLinkCookedV2 = 276,
};

enum EtherType : uint16_t {
  kTypeLlcInCooked = 4,  // Linux cooked: an LLC header follows
  kTypeLargestLength = 1500,
  kTypeIpv4 = 0x0800,
  kTypeVlan = 0x8100,
  kTypeIpv6 = 0x86DD,
  kTypeMpls = 0x8847,
  kTypeMplsMulticast = 0x8848,
  kTypePppoeSession = 0x8864,
};

enum PppProtocol : uint16_t { kPppIpv4 = 0x0021, kPppIpv6 = 0x0057, kPppMpls = 0x0281, kPppMplsMulticast = 0x0283 };

inline bool is_vlan(uint16_t type) {
  return type == kTypeVlan || type == 0x88A8 || type == 0x9100 || type == 0x9200 || type == 0x9300;
}

/** Where layer 3 begins: ip_version 4 or 6, or 0 with the reason and the number that explains it. */
struct Layer3 {
  uint8_t ip_version;
  bool encapsulated;
  uint8_t reason;
  uint16_t number;  // the EtherType or PPP protocol read last; 0 when none was
  size_t offset;
};

class LinkWalk {
 public:
  LinkWalk(const Frame& frame, const Profile& profile) : frame_(frame), profile_(profile) {}

  Layer3 layer3(uint16_t link_type) {
    if (profile_.ethernet_only && link_type != kLinkEthernet) {
      return other(FS_OTHER_REASON_LINK_TYPE, link_type);
    }
    switch (link_type) {
      case kLinkEthernet:
        return frame_.shows(0, 14) ? by_ethertype(network16(frame_.data + 12), 14) : short_link(0);
      case kLinkCookedV1:
        return frame_.shows(0, 16) ? by_cooked_protocol(network16(frame_.data + 14), 16) : short_link(0);
      case kLinkCookedV2:
        return frame_.shows(0, 20) ? by_cooked_protocol(network16(frame_.data), 20) : short_link(0);
      case kLinkRaw12:
      case kLinkRaw14:
      case kLinkRaw:
        return raw();
      case kLinkIpv4:
        return ip(4, kTypeIpv4, 0);
      case kLinkIpv6:
        return ip(6, kTypeIpv6, 0);
      case kLinkNull:
      case kLinkLoop:
        return loopback();
      case kLinkPpp:
      case kLinkPppHdlc:
        return hdlc();
      case kLinkPppd:
      case kLinkPppWithDirection:
        return ppp_with_direction(link_type);
      case kLinkPppEthernet:
        return pppoe(0);
      case kLinkCiscoHdlc:
        return cisco_hdlc();
      default:
        return other(FS_OTHER_REASON_LINK_TYPE, link_type);
    }
  }

 private:
  Layer3 ip(uint8_t version, uint16_t number, size_t offset) const {
    return {version, vlan_tags_ > 1 || tunnelled_, 0, number, offset};
  }

  static Layer3 other(uint8_t reason, uint16_t number) { return {0, false, reason, number, 0}; }

  Layer3 short_link(uint16_t number) const { return other(frame_.ends_with(FS_OTHER_REASON_SHORT_LINK), number); }

  // Each turn consumes a VLAN tag, or a SNAP header; a second SNAP header needs a tag between, so tags bound the loop.
  Layer3 by_ethertype(uint16_t type, size_t offset) {
    for (;;) {
      if (is_vlan(type)) {
        if (++vlan_tags_ > profile_.max_vlan_tags) {
          return other(FS_OTHER_REASON_TOO_DEEP, type);
        }
        if (!frame_.shows(offset, 4)) {
          return short_link(type);
        }
        type = network16(frame_.data + offset + 2);
        offset += 4;
      } else if (type <= kTypeLargestLength) {
        if (!frame_.shows(offset, 3)) {
          return short_link(0);
        }
        if (!is_snap(offset)) {
          return other(FS_OTHER_REASON_NOT_IP, network16(frame_.data + offset));
        }
        if (!frame_.shows(offset, 8)) {
          return short_link(0);
        }
        type = network16(frame_.data + offset + 6);
        if (!has_organization_0(offset) || type <= kTypeLargestLength) {
          return other(FS_OTHER_REASON_NOT_IP, type);
        }
        offset += 8;
      } else {
        return by_network_type(type, offset);
      }
    }
  }

  Layer3 by_network_type(uint16_t type, size_t offset) {
    switch (type) {
      case kTypeIpv4:
        return ip(4, type, offset);
      case kTypeIpv6:
        return ip(6, type, offset);
      case kTypeMpls:
      case kTypeMplsMulticast:
        return mpls(type, offset);
      case kTypePppoeSession:
        return pppoe(offset);
      default:
        return other(FS_OTHER_REASON_NOT_IP, type);
    }
  }

  // Linux cooked protocols below 1501 are not lengths but kinds of frame, of which one holds LLC.
  Layer3 by_cooked_protocol(uint16_t protocol, size_t offset) {
    if (protocol <= kTypeLargestLength && protocol != kTypeLlcInCooked) {
      return other(FS_OTHER_REASON_NOT_IP, protocol);
    }
    return by_ethertype(protocol, offset);
  }

  bool is_snap(size_t offset) const {
    const uint8_t* llc = frame_.data + offset;
    return llc[0] == 0xAA && llc[1] == 0xAA && llc[2] == 0x03;
  }

  bool has_organization_0(size_t offset) const {
    const uint8_t* organization = frame_.data + offset + 3;
    return (organization[0] | organization[1] | organization[2]) == 0;
  }

  // Labels with a special meaning (explicit null, router alert, 13) are skipped like any other.
  Layer3 mpls(uint16_t type, size_t offset) {
    tunnelled_ = true;
    for (unsigned labels = 1; labels <= profile_.max_mpls_labels; labels++, offset += 4) {
      if (!frame_.shows(offset, 4)) {
        return short_link(type);
      }
      const bool bottom = (frame_.data[offset + 2] & 1) != 0;
      if (bottom) {
        return by_nibble(type, offset + 4);
      }
    }
    return other(FS_OTHER_REASON_TOO_DEEP, type);
  }

  Layer3 by_nibble(uint16_t type, size_t offset) const {
    if (!frame_.shows(offset, 1)) {
      return short_link(type);
    }
    const uint8_t version = frame_.data[offset] >> 4;
    const bool is_ip = version == 4 || version == 6;
    return is_ip ? ip(version, type, offset) : other(FS_OTHER_REASON_MPLS_NOT_IP, type);
  }

  Layer3 pppoe(size_t offset) {
    tunnelled_ = true;
    return frame_.shows(offset, 6) ? ppp(offset + 6) : short_link(kTypePppoeSession);
  }

  // A protocol number below 256 may come as one byte: then its lowest bit is set, which no first of two bytes has.
  Layer3 ppp(size_t offset) {
    if (!frame_.shows(offset, 1)) {
      return short_link(0);
    }
    const bool one_byte = (frame_.data[offset] & 1) != 0;
    if (!one_byte && !frame_.shows(offset, 2)) {
      return short_link(0);
    }
    const uint16_t protocol = one_byte ? frame_.data[offset] : network16(frame_.data + offset);
    offset += one_byte ? 1 : 2;
    switch (protocol) {
      case kPppIpv4:
        return ip(4, protocol, offset);
      case kPppIpv6:
        return ip(6, protocol, offset);
      case kPppMpls:
      case kPppMplsMulticast:
        return mpls(protocol, offset);
      default:
        return other(FS_OTHER_REASON_NOT_IP, protocol);
    }
  }

  // Captures of these two link types hold PPP or Cisco HDLC; the address byte tells. PPP may leave out FF 03.
  Layer3 hdlc() {
    if (!frame_.shows(0, 1)) {
      return short_link(0);
    }
    if (frame_.data[0] == 0x0F || frame_.data[0] == 0x8F) {
      return cisco_hdlc();
    }
    const bool has_address = frame_.shows(0, 2) && frame_.data[0] == 0xFF && frame_.data[1] == 0x03;
    return ppp(has_address ? 2 : 0);
  }

  // 166: the direction stands in place of the address FF, control 03 follows. 204: it stands before an ordinary frame.
  Layer3 ppp_with_direction(uint16_t link_type) {
    const size_t start = link_type == kLinkPppWithDirection ? 1 : 0;
    const bool has_address =
        frame_.shows(start, 2) && frame_.data[start + 1] == 0x03 && (start == 0 || frame_.data[start] == 0xFF);
    return ppp(has_address ? start + 2 : start);
  }

  Layer3 cisco_hdlc() { return frame_.shows(0, 4) ? by_network_type(network16(frame_.data + 2), 4) : short_link(0); }

  // The family is in the byte order of the machine that captured; 24, 28 and 30 are IPv6 on different BSDs.
  Layer3 loopback() const {
    if (!frame_.shows(0, 4)) {
      return short_link(0);
    }
    const uint32_t little_endian = load<uint32_t>(frame_.data);
    const uint32_t family = little_endian > 0xFFFF ? big_endian(little_endian) : little_endian;
    switch (family) {
      case 2:
        return ip(4, kTypeIpv4, 4);
      case 24:
      case 28:
      case 30:
        return ip(6, kTypeIpv6, 4);
      default:
        return other(FS_OTHER_REASON_NOT_IP, static_cast<uint16_t>(family));
    }
  }

  Layer3 raw() const {
    if (!frame_.shows(0, 1)) {
      return other(FS_OTHER_REASON_SHORT_IP, 0);
    }
    const uint8_t version = frame_.data[0] >> 4;
    switch (version) {
      case 4:
        return ip(4, kTypeIpv4, 0);
      case 6:
        return ip(6, kTypeIpv6, 0);
      default:
        return other(FS_OTHER_REASON_BAD_IP, 0);
    }
  }

  const Frame& frame_;
  const Profile& profile_;
  unsigned vlan_tags_ = 0;
  bool tunnelled_ = false;
};

}  // namespace flowstone
