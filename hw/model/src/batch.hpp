// SPDX-License-Identifier: Apache-2.0
// Parses packets by the batch: the fast path for each, the general path where that declines.
#pragma once

#include "descriptor.hpp"
#include "frame.hpp"

namespace flowstone {

/** Returns how many records it wrote. */
uint32_t parse_batch(const uint8_t* base, const fs_raw_packet* packets, uint32_t count, const Profile& profile,
                     fs_packet_record* records);

}  // namespace flowstone
