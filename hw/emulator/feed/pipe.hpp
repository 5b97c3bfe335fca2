// SPDX-License-Identifier: Apache-2.0
// Frames as a program sends them: a pcap of Ethernet through a named pipe, taken as it comes. The pipe is opened when the wire first
// moves, so whoever sends waits in open(2) until the port runs.
#pragma once

#include <string>
#include <vector>

#include "feed.hpp"
#include "pcap.hpp"

namespace flowstone::card {

class PipeFeed : public Feed {
 public:
  /** Makes the pipe, if there is none. Throws std::runtime_error. */
  explicit PipeFeed(std::string path);
  ~PipeFeed() override;

  FrameBatch next(fs_raw_packet* packets, uint32_t most) override;
  bool has_ended() const override { return has_ended_; }
  uint64_t skipped_packets() const override { return skipped_; }

 private:
  void open();
  void receive();
  /** Nothing more is taken; what is wrong is said, for a wire has no other way to say it. */
  void give_up(const std::string& why);
  void shut();

  const std::string path_;
  int file_ = -1;
  std::vector<uint8_t> bytes_;
  size_t first_ = 0;  // of what was received and not given out
  size_t last_ = 0;
  PcapHeader header_;
  bool has_header_ = false;
  bool has_ended_ = false;
  uint64_t skipped_ = 0;
};

}  // namespace flowstone::card
