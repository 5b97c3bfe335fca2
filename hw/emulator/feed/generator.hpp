// SPDX-License-Identifier: Apache-2.0
// Made traffic: a pool of frames of many flows, sent over and over. Both directions, IPv4 85 %, TCP 75 %, one VLAN tag 20 %, ARP 0.5 %,
// frames of 64, 576 and 1,500 bytes (7:4:1), of which the first 192 bytes are kept. The same for the same seed.
#pragma once

#include <vector>

#include "feed.hpp"

namespace flowstone::card {

struct GeneratorOptions {
  uint64_t packets = 0;  // 0: for ever
  uint32_t flows = 4096;
  uint64_t seed = 1;
};

class GeneratorFeed : public Feed {
 public:
  explicit GeneratorFeed(const GeneratorOptions& options);
  FrameBatch next(fs_raw_packet* packets, uint32_t most) override;

 private:
  std::vector<uint8_t> bytes_;
  std::vector<fs_raw_packet> pool_;
  uint64_t left_;
  uint32_t at_ = 0;
};

}  // namespace flowstone::card
