// SPDX-License-Identifier: Apache-2.0
// The frames of captures, pcap or pcapng, Ethernet: each file is mapped and read from its beginning to its end.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "feed.hpp"

namespace flowstone::card {

class CaptureFile;

class CaptureFeed : public Feed {
 public:
  /** Opens all of them at once, so that a name that is wrong is known at the start. Each file is sent so many times, one after the
   *  other; 0: for ever. Throws std::runtime_error. */
  CaptureFeed(const std::vector<std::string>& paths, uint64_t repeats);
  ~CaptureFeed() override;

  FrameBatch next(fs_raw_packet* packets, uint32_t most) override;
  uint64_t skipped_packets() const override { return skipped_; }

 private:
  std::vector<std::unique_ptr<CaptureFile>> files_;
  uint64_t repeats_;
  uint64_t rounds_ = 0;
  size_t file_ = 0;
  uint64_t skipped_ = 0;
};

}  // namespace flowstone::card
