// SPDX-License-Identifier: Apache-2.0
// The host's end of ht_ring's registers: an access at a time, while the clock goes on; the address and the data of a write come in
// either order.
#pragma once

#include <functional>

#include "Vring_bench.h"
#include "ring_packet.hpp"

namespace flowstone::sim {

class RingRegisterPort {
 public:
  RingRegisterPort(Vring_bench& top, Random& random) : top_(top), random_(random) {
    top_.control_awvalid = 0;
    top_.control_wvalid = 0;
    top_.control_arvalid = 0;
    top_.control_bready = 1;
    top_.control_rready = 1;
    top_.control_wstrb = 15;
  }

  bool is_free() const { return access_ == Access::kNone; }

  /** Only while it is free. */
  void begin_write(uint32_t address, uint32_t data, std::function<void()> then = {}) {
    access_ = Access::kWrite;
    address_taken_ = data_taken_ = false;
    top_.control_awaddr = static_cast<uint16_t>(address);
    top_.control_wdata = data;
    address_delay_ = static_cast<uint32_t>(random_.below(3));
    data_delay_ = static_cast<uint32_t>(random_.below(3));
    then_written_ = std::move(then);
  }
  void begin_read(uint32_t address, std::function<void(uint32_t)> then) {
    access_ = Access::kRead;
    top_.control_araddr = static_cast<uint16_t>(address);
    top_.control_arvalid = 1;
    then_read_ = std::move(then);
  }

  // ---- Before, at and after a clock edge ----
  void drive() {
    if (access_ == Access::kWrite) {
      top_.control_awvalid = !address_taken_ && address_delay_ == 0;
      top_.control_wvalid = !data_taken_ && data_delay_ == 0;
      address_delay_ -= address_delay_ > 0;
      data_delay_ -= data_delay_ > 0;
    }
  }

  void sample() {
    if (access_ == Access::kWrite) {
      address_accepted_ = top_.control_awvalid && top_.control_awready;
      data_accepted_ = top_.control_wvalid && top_.control_wready;
      answered_ = top_.control_bvalid;
    } else if (access_ == Access::kRead) {
      address_accepted_ = top_.control_arvalid && top_.control_arready;
      answered_ = top_.control_rvalid;
      read_data_ = top_.control_rdata;
    }
  }

  void settle() {
    if (access_ == Access::kWrite) {
      address_taken_ |= address_accepted_;
      data_taken_ |= data_accepted_;
      top_.control_awvalid = 0;
      top_.control_wvalid = 0;
      if (answered_) {
        access_ = Access::kNone;
        if (then_written_) {
          const auto then = std::move(then_written_);
          then();
        }
      }
    } else if (access_ == Access::kRead) {
      if (address_accepted_) {
        top_.control_arvalid = 0;
      }
      if (answered_) {
        access_ = Access::kNone;
        const auto then = std::move(then_read_);
        then(read_data_);
      }
    }
    address_accepted_ = data_accepted_ = answered_ = false;
  }

 private:
  enum class Access { kNone, kWrite, kRead };

  Vring_bench& top_;
  Random& random_;
  Access access_ = Access::kNone;
  bool address_taken_ = false;
  bool data_taken_ = false;
  uint32_t address_delay_ = 0;
  uint32_t data_delay_ = 0;
  bool address_accepted_ = false;
  bool data_accepted_ = false;
  bool answered_ = false;
  uint32_t read_data_ = 0;
  std::function<void()> then_written_;
  std::function<void(uint32_t)> then_read_;
};

}  // namespace flowstone::sim
