// SPDX-License-Identifier: Apache-2.0
// Puts records into the rings of their key groups, until a ring needs its writer.
#pragma once

#include "descriptor.hpp"

namespace flowstone {

struct ScatterStop {
  uint32_t index;   // of the record that was not placed; the count if all were
  uint32_t ring;    // 0 if all were
  uint32_t reason;  // FS_SCATTER_STOP_*
};

struct KeyGroupTable {
  const uint8_t* ring_of_key_group;
  uint32_t max_parallelism;
};

ScatterStop scatter(const fs_raw_packet* packets, const fs_packet_record* records, uint32_t first, uint32_t first_unmet,
                    uint32_t count, const KeyGroupTable& table, fs_ring_target* targets);

}  // namespace flowstone
