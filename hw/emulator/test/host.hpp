// SPDX-License-Identifier: Apache-2.0
// A host at a card, by the C functions alone, as the tap is one: it sets the kernels up, reads rings and gives slots back.
#pragma once

#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "../device/clock.hpp"
#include "../device/kernels.hpp"
#include "../device/register_file.hpp"
#include "../xrt/c_api.h"
#include "ring_check.hpp"

namespace flowstone::card::test {

struct HostOptions {
  std::string xclbin;
  const Design* design = &kCabled;
  unsigned device = 0;
  uint32_t ring_count = 4;
  uint32_t slots_log2 = 12;
  uint32_t ports = 1;
  uint32_t max_parallelism = 128;
  uint64_t retry_us = 200'000;  // so long a slot that is not there yet is asked for again
};

class Host {
 public:
  explicit Host(HostOptions options) : options_(std::move(options)) {
    for (uint32_t ring = 0; ring < options_.ring_count; ring++) checks_.emplace_back(options_.slots_log2);
  }
  ~Host() { close(); }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  bool keeps_records = false;
  uint64_t late_slots = 0;  // that were there after another copy
  uint64_t failed_copies = 0;

  /** False: errno says why. */
  bool open() {
    device_ = xrtDeviceOpen(options_.device);
    if (device_ == nullptr || xrtDeviceLoadXclbinFile(device_, options_.xclbin.c_str()) != 0) return false;
    xuid_t uuid;
    if (xrtDeviceGetXclbinUUID(device_, uuid) != 0) return false;
    for (uint32_t kernel = 0; kernel < options_.design->kernels; kernel++) {
      const std::string name = std::string(kKernelList[kernel].kernel) + ":{" + kKernelList[kernel].instance + "}";
      kernels_.push_back(xrtPLKernelOpenExclusive(device_, uuid, name.c_str()));
      if (kernels_.back() == nullptr) return false;
    }
    return true;
  }

  /** Buffers cleared, as fresh ones look like packets; then the rings, then the ports. */
  bool start() {
    const size_t bytes = sizeof(fs_packet_record) << options_.slots_log2;
    for (uint32_t ring = 0; ring < options_.ring_count; ring++) {
      const int bank = xrtKernelArgGroupId(kernels_[kRingKernel], static_cast<int>(ring));
      const xrtBufferHandle buffer = xrtBOAlloc(device_, bytes, 0, static_cast<uint32_t>(bank));
      if (buffer == nullptr) return false;
      buffers_.push_back(buffer);
      slots_.push_back(static_cast<fs_packet_record*>(xrtBOMap(buffer)));
      std::memset(slots_.back(), 0, bytes);
      if (xrtBOSync(buffer, XCL_BO_SYNC_BO_TO_DEVICE, bytes, 0) != 0) return false;
      checks_[ring].keeps_records = keeps_records;
    }
    return start_rings() && start_ports();
  }

  bool start_rings() {
    const xrtRunHandle run = xrtRunOpen(kernels_[kRingKernel]);
    for (uint32_t ring = 0; ring < kRings; ring++) {
      if (ring < options_.ring_count && xrtRunSetArg(run, static_cast<int>(ring), buffers_[ring]) != 0) return false;
    }
    xrtRunSetArg(run, 8, options_.slots_log2);
    xrtRunSetArg(run, 9, options_.ring_count);
    runs_.push_back(run);
    return xrtRunStart(run) == 0;
  }

  bool start_ports() {
    for (uint32_t port = 0; port < options_.ports; port++) {
      write_table(port);
      const xrtRunHandle run = xrtRunOpen(kernels_[port]);
      xrtRunSetArg(run, 0, port);
      xrtRunSetArg(run, 1, options_.max_parallelism);
      runs_.push_back(run);
      if (xrtRunStart(run) != 0) return false;
    }
    return true;
  }

  /** Of a card without a cable: puts blocks into the card's memory, and starts what sends their frames to a port. Null: it cannot. */
  xrtRunHandle start_source(uint32_t port, const std::vector<uint8_t>& blocks, uint32_t rounds) {
    const xrtKernelHandle kernel = kernels_[source_kernel(port)];
    const int bank = xrtKernelArgGroupId(kernel, 0);
    const xrtBufferHandle buffer = xrtBOAlloc(device_, blocks.size(), 0, static_cast<uint32_t>(bank));
    if (buffer == nullptr) return nullptr;
    source_buffers_.push_back(buffer);
    std::memcpy(xrtBOMap(buffer), blocks.data(), blocks.size());
    const xrtRunHandle run = xrtRunOpen(kernel);
    source_runs_.push_back(run);
    const bool is_set = xrtBOSync(buffer, XCL_BO_SYNC_BO_TO_DEVICE, blocks.size(), 0) == 0 && xrtRunSetArg(run, 0, buffer) == 0 &&
                        xrtRunSetArg(run, 1, static_cast<uint32_t>(blocks.size() / FS_CAPTURE_BLOCK_UNIT_BYTES)) == 0 &&
                        xrtRunSetArg(run, 2, rounds) == 0;
    return is_set && xrtRunStart(run) == 0 ? run : nullptr;
  }

  /** Ports first, so that nothing is discarded. */
  bool stop(unsigned timeout_ms = 5000) {
    if (runs_.size() != options_.ports + 1) return false;  // it never started
    for (uint32_t port = 0; port < options_.ports; port++) write(port, kStopOffset, 1);
    for (uint32_t port = 0; port < options_.ports; port++) {
      if (xrtRunWaitFor(runs_[port + 1], timeout_ms) != ERT_CMD_STATE_COMPLETED) return false;
    }
    write(kRingKernel, kStopOffset, 1);
    return xrtRunWaitFor(runs_[0], timeout_ms) == ERT_CMD_STATE_COMPLETED;
  }

  void close() {
    for (const xrtRunHandle run : source_runs_) xrtRunClose(run);
    for (const xrtBufferHandle buffer : source_buffers_) xrtBOFree(buffer);
    for (const xrtRunHandle run : runs_) xrtRunClose(run);
    for (const xrtBufferHandle buffer : buffers_) xrtBOFree(buffer);
    for (const xrtKernelHandle kernel : kernels_) {
      if (kernel != nullptr) xrtKernelClose(kernel);
    }
    if (device_ != nullptr) xrtDeviceClose(device_);
    source_runs_.clear();
    source_buffers_.clear();
    runs_.clear();
    buffers_.clear();
    kernels_.clear();
    device_ = nullptr;
  }

  // ---- Registers ----
  uint32_t read(uint32_t kernel, uint32_t offset_bytes) {
    uint32_t value = 0;
    status_ = kernel < kernels_.size() ? xrtKernelReadRegister(kernels_[kernel], offset_bytes, &value) : -1;
    return value;
  }
  uint64_t read64(uint32_t kernel, uint32_t offset_bytes) {
    const uint64_t low = read(kernel, offset_bytes);
    return low | uint64_t{read(kernel, offset_bytes + 4)} << 32;
  }
  int write(uint32_t kernel, uint32_t offset_bytes, uint32_t value) {
    return kernel < kernels_.size() ? xrtKernelWriteRegister(kernels_[kernel], offset_bytes, value) : -1;
  }
  int status() const { return status_; }
  uint64_t ring(uint32_t ring, size_t field) { return read64(kRingKernel, ring_offset(ring, field)); }
  uint64_t port(uint32_t port, size_t field) { return read64(port, static_cast<uint32_t>(field)); }

  // ---- Rings ----
  RingCheck& check(uint32_t ring) { return checks_[ring]; }
  const HostOptions& options() const { return options_; }
  xrtDeviceHandle device() const { return device_; }
  xrtKernelHandle kernel(uint32_t kernel) const { return kernels_[kernel]; }
  xrtRunHandle run(uint32_t index) const { return runs_[index]; }
  xrtBufferHandle buffer(uint32_t ring) const { return buffers_[ring]; }

  /** Reads up to the head, and gives back what was read if so asked. Returns how many slots these were. */
  uint64_t read_ring(uint32_t ring, bool gives_back = true) {
    if (ring >= buffers_.size()) return 0;  // it never started
    const uint64_t head = this->ring(ring, offsetof(fs_card_ring_state, head));
    RingCheck& check = checks_[ring];
    const uint64_t first = check.position();
    if (head == first || !copy(ring, first, head)) return 0;
    while (check.position() < head) {
      if (!check.is_expected(slot(ring, check.position()))) wait_for(ring, check.position());
      check.read(slot(ring, check.position()));
    }
    if (gives_back) write(kRingKernel, ring_offset(ring, offsetof(fs_card_ring_state, credit)), static_cast<uint32_t>(head));
    return head - first;
  }

  uint64_t read_rings() {
    uint64_t slots = 0;
    for (uint32_t ring = 0; ring < options_.ring_count; ring++) slots += read_ring(ring);
    return slots;
  }

  /** Reads until the ports have received so many packets, and the rings had nothing more for a moment. False: not in this time. */
  bool read_until(uint64_t packets, uint64_t timeout_ms = 20000) {
    const uint64_t end_ns = monotonic_ns() + timeout_ms * 1'000'000;
    while (monotonic_ns() < end_ns) {
      uint64_t received = 0;
      for (uint32_t each = 0; each < options_.ports; each++) received += port(each, offsetof(fs_card_tap_registers, received_packets));
      if (read_rings() == 0) {
        if (received >= packets) return true;
        const timespec sleep{0, 200'000};
        nanosleep(&sleep, nullptr);
      }
    }
    return false;
  }

  uint64_t packets() const { return sum(&RingCheck::packets); }
  uint64_t lost() const { return sum(&RingCheck::lost); }
  uint64_t damaged() const { return sum(&RingCheck::damaged); }
  uint64_t unexplained() const { return sum(&RingCheck::unexplained); }

 private:
  uint64_t sum(uint64_t (RingCheck::*part)() const) const {
    uint64_t sum = 0;
    for (const RingCheck& check : checks_) sum += (check.*part)();
    return sum;
  }

  void write_table(uint32_t port) {
    write(port, offsetof(fs_card_tap_registers, table_address), 0);
    for (uint32_t group = 0; group < options_.max_parallelism; group++) {
      write(port, offsetof(fs_card_tap_registers, table_ring), group * options_.ring_count / options_.max_parallelism);
    }
  }

  uint64_t slots() const { return uint64_t{1} << options_.slots_log2; }
  const fs_packet_record& slot(uint32_t ring, uint64_t position) const { return slots_[ring][position & (slots() - 1)]; }

  bool copy(uint32_t ring, uint64_t first, uint64_t end) {
    while (first < end) {
      const uint64_t index = first & (slots() - 1);
      const uint64_t count = end - first < slots() - index ? end - first : slots() - index;
      if (xrtBOSync(buffers_[ring], XCL_BO_SYNC_BO_FROM_DEVICE, count * 64, index * 64) != 0) {
        failed_copies++;
        return false;
      }
      first += count;
    }
    return true;
  }

  void wait_for(uint32_t ring, uint64_t position) {
    const uint64_t end_ns = monotonic_ns() + options_.retry_us * 1000;
    while (monotonic_ns() < end_ns) {
      if (copy(ring, position, position + 1) && checks_[ring].is_expected(slot(ring, position))) {
        late_slots++;
        return;
      }
    }
  }

  HostOptions options_;
  xrtDeviceHandle device_ = nullptr;
  std::vector<xrtKernelHandle> kernels_;
  std::vector<xrtBufferHandle> buffers_;
  std::vector<xrtRunHandle> runs_;
  std::vector<xrtBufferHandle> source_buffers_;
  std::vector<xrtRunHandle> source_runs_;
  std::vector<fs_packet_record*> slots_;
  std::vector<RingCheck> checks_;
  int status_ = 0;
};

}  // namespace flowstone::card::test
