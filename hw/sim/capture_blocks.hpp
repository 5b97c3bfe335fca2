// SPDX-License-Identifier: Apache-2.0
// Frames as ht_pcapsrc reads them: blocks of lengths, each followed by its frames.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "flowstone/abi.h"

namespace flowstone::sim {

using Frame = std::vector<uint8_t>;

inline constexpr size_t kUnitBytes = FS_CAPTURE_BLOCK_UNIT_BYTES;

/** What lies in the card's memory. Of frames without a byte, and of those beyond 65,535, there are none. */
inline std::vector<uint8_t> capture_blocks(const std::vector<Frame>& frames) {
  std::vector<uint8_t> memory;
  for (size_t first = 0; first < frames.size(); first += FS_CAPTURE_BLOCK_COUNT) {
    const size_t end = std::min(frames.size(), first + FS_CAPTURE_BLOCK_COUNT);
    fs_capture_block block = {};
    for (size_t i = first; i < end; i++) block.lengths[i - first] = static_cast<uint16_t>(frames[i].size());
    const size_t at = memory.size();
    memory.resize(at + sizeof block);
    std::memcpy(memory.data() + at, &block, sizeof block);
    for (size_t i = first; i < end; i++) {
      memory.insert(memory.end(), frames[i].begin(), frames[i].end());
      memory.resize((memory.size() + kUnitBytes - 1) / kUnitBytes * kUnitBytes, 0xA5);
    }
  }
  return memory;
}

}  // namespace flowstone::sim
