// SPDX-License-Identifier: Apache-2.0
// The two taps' ends of the streams: what each sends stays until it is taken.
#pragma once

#include <functional>

#include "Vring_bench.h"
#include "ring_reader.hpp"

namespace flowstone::sim {

/** What a port sends next; false: nothing now. */
using Source = std::function<bool(Beat&)>;

class RingStreams {
 public:
  explicit RingStreams(Vring_bench& top) : top_(top) {}

  /** As after a start. */
  void begin() {
    sent_ = {};
    discarded_ = 0;
  }

  const Sent& sent() const { return sent_; }
  uint64_t stalls(uint32_t port) const { return stalls_[port]; }
  uint64_t discarded() const { return discarded_; }
  bool is_offered(uint32_t port) const { return is_offered_[port]; }

  void offer(std::array<Source, 2>& source) {
    for (uint32_t port = 0; port < 2; port++) {
      if (!is_offered_[port] && source[port] && source[port](offered_[port])) {
        is_offered_[port] = true;
        present(port);
      }
    }
    top_.tvalid = static_cast<uint8_t>(is_offered_[0] | is_offered_[1] << 1);
  }

  void sample() {
    for (uint32_t port = 0; port < 2; port++) {
      if (!is_offered_[port]) {
        continue;
      }
      if ((top_.tready >> port & 1) == 0) {
        stalls_[port]++;
        continue;
      }
      is_offered_[port] = false;
      if (top_.probe_open) {
        sent_[port].push_back(offered_[port]);
      } else {
        discarded_ += !offered_[port].is_tick;
      }
    }
  }

 private:
  void present(uint32_t port) {
    const Beat& beat = offered_[port];
    fs_packet_record record = packet_record(port, static_cast<uint32_t>(sent_[port].size()), beat.time_ns);
    memcpy(top_.tdata.data() + 16 * port, &record, sizeof record);
    const uint64_t user = beat.time_ns >> 32 | uint64_t{beat.is_tick} << 32;
    (port == 0 ? top_.tuser_0 : top_.tuser_1) = user;
    const uint32_t shift = 3 * port;
    top_.tdest = static_cast<uint8_t>((top_.tdest & ~(7u << shift)) | beat.ring << shift);
  }

  Vring_bench& top_;
  std::array<Beat, 2> offered_{};
  std::array<bool, 2> is_offered_{};
  Sent sent_;
  std::array<uint64_t, 2> stalls_{};
  uint64_t discarded_ = 0;
};

}  // namespace flowstone::sim
