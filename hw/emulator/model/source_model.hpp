// SPDX-License-Identifier: Apache-2.0
// ht_pcapsrc as a model: blocks in the card's memory in, the frames in them out, each when its last cycle has come.
#pragma once

#include <array>
#include <vector>

#include "../device/clock.hpp"
#include "../device/faults.hpp"
#include "../device/memory.hpp"
#include "../device/register_file.hpp"
#include "../feed/wire.hpp"

namespace flowstone::card {

class SourceModel {
 public:
  SourceModel(RegisterFile registers, const DeviceMemory& memory, const std::vector<FaultSpec>& faults, FaultWindow& window);

  void write(uint32_t offset_bytes, uint32_t value);
  bool runs() const { return runs_; }

  /** Whole frames whose cycles have come, where they lie in the card's memory. */
  Arrived arrived(uint64_t now_ns);

  /** These have gone. True: behind them went one that is damaged, which was the last. */
  bool sent(uint32_t count);

  /** When there is more to do; UINT64_MAX: not before a start. */
  uint64_t next_ns() const;

  /** Since the card was made. */
  uint64_t sent_packets() const { return sent_in_all_; }

 private:
  static constexpr uint64_t kUnitBytes = FS_CAPTURE_BLOCK_UNIT_BYTES;

  void start();
  void end();
  void read_ahead();
  void read_unit();
  void read_lengths();
  void read_frame(uint32_t length);
  void pass(uint64_t units);
  void fail(uint32_t status_bit);
  void end_damaged(uint64_t bytes);
  bool refuses(uint64_t unit);
  uint32_t next_length() const { return next_ < FS_CAPTURE_BLOCK_COUNT ? block_.lengths[next_] : 0; }
  uint64_t due_ns(uint32_t packet) const { return started_ns_ + cycles_to_ns(due_cycles_[packet]); }
  void count(size_t offset_bytes, uint64_t more);

  RegisterFile registers_;
  const DeviceMemory& memory_;
  std::vector<FaultTrigger> refused_reads_;
  FaultWindow& window_;

  // Arguments, and what a write changes at once.
  uint64_t base_address_ = 0;
  uint32_t units_ = 0;
  uint32_t rounds_ = 1;
  uint32_t gap_cycles_ = 0;

  // Where it reads.
  bool runs_ = false;
  uint64_t started_ns_ = 0;
  uint64_t looked_ns_ = 0;
  uint64_t cycle_ = 0;
  uint64_t unit_ = 0;
  uint32_t round_ = 0;
  bool reads_no_more_ = false;
  fs_capture_block block_{};
  uint32_t next_ = FS_CAPTURE_BLOCK_COUNT;  // frame of the block

  // What was read and has not gone.
  std::vector<fs_raw_packet> packets_{Wire::kBatch};
  std::array<uint64_t, Wire::kBatch> due_cycles_{};
  uint32_t first_ = 0;
  uint32_t last_ = 0;
  bool has_damaged_ = false;
  uint64_t damaged_bytes_ = 0;
  uint64_t sent_in_all_ = 0;
};

}  // namespace flowstone::card
