// SPDX-License-Identifier: Apache-2.0
//
// Layer 2: from the first captured byte to the network header.
#pragma once

#include "bytes.hpp"
#include "flowstone.h"

namespace flowstone {

// How deep to look.
struct Depth {
    uint32_t vlan_tags;
    uint32_t mpls_labels;
    uint32_t extension_headers;
    uint32_t window_bytes;
    bool ethernet_only;
};

// Real traffic has a handful of each; the bounds only keep a hostile frame from holding the parser.
// An IPv6 payload of 65,535 bytes has no room for more extension headers than that.
constexpr Depth SOFTWARE_DEPTH = {32, 32, 8192, UINT32_MAX, false};
constexpr Depth CARD_DEPTH = {2, 3, 2, 128, true};

enum class Network : uint8_t { NONE, IPV4, IPV6 };

// Where layer 3 begins, or why there is none.
struct Link {
    Network network;
    bool encapsulated;        // below MPLS, PPPoE or more than one VLAN tag
    uint16_t other_reason;    // network NONE: enum other_reason
    uint16_t other_protocol;  // network NONE: EtherType, or number of the link type
    uint32_t offset;
};

Link read_link(Bytes frame, const fs_raw_packet& packet, const Depth& depth);

}  // namespace flowstone
