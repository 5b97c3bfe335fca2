// SPDX-License-Identifier: Apache-2.0
// The FIFO that v++ puts between a tap and the rings (vitis/u280.cfg), with register slices at its ends.
#pragma once

#include <array>
#include <cstdint>
#include <deque>

namespace flowstone::sim {

struct StreamRecord {
  std::array<uint8_t, 64> data;
  uint64_t user;
  uint32_t destination;
  uint64_t ready_cycle;  // when the record is at the end of the FIFO, if no other record is
};

class RecordFifo {
 public:
  static constexpr size_t kRecords = 64;
  static constexpr uint64_t kLatencyCycles = 8;

  bool has_space() const { return records_.size() < kRecords; }
  bool has_record(uint64_t cycle) const { return !records_.empty() && records_.front().ready_cycle <= cycle; }
  size_t size() const { return records_.size(); }
  const StreamRecord& front() const { return records_.front(); }

  void push(StreamRecord record, uint64_t cycle) {
    record.ready_cycle = cycle + kLatencyCycles;
    records_.push_back(record);
  }
  void pop() { records_.pop_front(); }

 private:
  std::deque<StreamRecord> records_;
};

}  // namespace flowstone::sim
