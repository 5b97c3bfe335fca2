// SPDX-License-Identifier: Apache-2.0
// The host's end of a kernel's AXI-Lite port: one access at a time, as the kernel's clock ticks.
#pragma once

#include <cstdint>

namespace flowstone::card {

template <typename Top>
class RegisterPort {
 public:
  explicit RegisterPort(Top& top) : top_(top) {
    top_.control_awvalid = 0;
    top_.control_wvalid = 0;
    top_.control_arvalid = 0;
    top_.control_wstrb = 15;
    top_.control_bready = 1;
    top_.control_rready = 1;
  }

  bool is_busy() const { return is_busy_; }
  uint32_t data() const { return data_; }

  void begin_write(uint32_t offset_bytes, uint32_t value) {
    top_.control_awaddr = static_cast<uint16_t>(offset_bytes);
    top_.control_wdata = value;
    top_.control_awvalid = 1;
    top_.control_wvalid = 1;
    is_busy_ = is_write_ = true;
  }

  void begin_read(uint32_t offset_bytes) {
    top_.control_araddr = static_cast<uint16_t>(offset_bytes);
    top_.control_arvalid = 1;
    is_busy_ = true;
    is_write_ = false;
  }

  void before_edge() {
    if (!is_busy_) return;
    address_taken_ = is_write_ ? top_.control_awvalid && top_.control_awready : top_.control_arvalid && top_.control_arready;
    data_taken_ = top_.control_wvalid && top_.control_wready;
    answered_ = is_write_ ? top_.control_bvalid : top_.control_rvalid;
    data_ = top_.control_rdata;
  }

  void after_edge() {
    if (!is_busy_) return;
    if (address_taken_) top_.control_awvalid = top_.control_arvalid = 0;
    if (data_taken_) top_.control_wvalid = 0;
    is_busy_ = !answered_;
  }

 private:
  Top& top_;
  bool is_busy_ = false;
  bool is_write_ = false;
  bool address_taken_ = false;
  bool data_taken_ = false;
  bool answered_ = false;
  uint32_t data_ = 0;
};

}  // namespace flowstone::card
