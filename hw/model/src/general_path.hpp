// SPDX-License-Identifier: Apache-2.0
// The parser as it is defined: any link type, any encapsulation, any damage. The fast path is an optimisation of it
// and must agree bit for bit.
#pragma once

#include "descriptor.hpp"
#include "frame.hpp"

namespace flowstone {

void parse_general(const uint8_t* data, const fs_raw_packet& packet, const Profile& profile, fs_packet_record& record);

}  // namespace flowstone
