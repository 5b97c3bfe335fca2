// SPDX-License-Identifier: Apache-2.0
// Where a port's frames come from, one after the other, without a thought about when.
#pragma once

#include <cstdint>
#include <string>

#include "flowstone/abi.h"

namespace flowstone::card {

/** Frames that lie in one piece of memory, which stays until the next batch is asked for. */
struct FrameBatch {
  const uint8_t* base = nullptr;
  uint32_t count = 0;
};

class Feed {
 public:
  virtual ~Feed() = default;

  /** Up to so many frames, with the times that the source knows, else 0. None: there are none now. */
  virtual FrameBatch next(fs_raw_packet* packets, uint32_t most) = 0;

  /** Asked when there were none: whether there will be no more. */
  virtual bool has_ended() const { return true; }

  /** What could not be sent over a wire: of another link type, without a byte, or cut in the middle by the file's end. */
  virtual uint64_t skipped_packets() const { return 0; }
};

inline constexpr uint16_t kLinkEthernet = 1;

}  // namespace flowstone::card
