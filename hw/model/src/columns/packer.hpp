// SPDX-License-Identifier: Apache-2.0
// Writes the columnar body of a packet batch, as hw/abi/packet-columns.yaml describes it.
//
// One pass over the records takes them apart into columns: what stands in a packet itself, and how it differs from what
// its sender's latest packet makes one expect. Then the flows are written, and each column is packed.
#pragma once

#include "pair_table.hpp"
#include "profile_table.hpp"

namespace flowstone::columns {

/** Records that stand in memory one after the other, or those of them that a selection names. */
struct RecordRun {
  const fs_packet_record* records;
  const uint32_t* selection;  // ascending; null: all in turn
  uint32_t count;

  const fs_packet_record& operator[](uint32_t index) const {
    return records[selection == nullptr ? index : selection[index]];
  }
};

/**
 * No body of so many packets takes more to write: 32 bits for each value of each column, one for where each of its two
 * levels of exceptions are, the shapes, bases and rounding of three levels, and slack.
 */
constexpr uint64_t most_body_bytes(uint32_t packets) {
  constexpr uint64_t kBesidesBytes = FS_PACKET_COLUMN_LEVELS * (1 + 4 + 2 + 3);
  return sizeof(fs_packet_columns_header) + FS_PACKET_COLUMNS_HEADER_TAIL_BYTES + kSlackBytes +
         FS_PACKET_COLUMNS_HEADER_COLUMN_COUNT * (uint64_t{4} * packets + packets / 4 + kBesidesBytes);
}

class Packer {
 public:
  Packer(Memory& memory, uint32_t max_packets, const Secret& secret);

  /** Writes the body and returns where it ends; null where a record is no packet. */
  uint8_t* pack(const RecordRun& packets, uint32_t time_base_low, uint8_t* body);

 private:
  void clear(uint32_t packets);
  template <typename Packets>
  bool take_apart(const Packets& packets, uint32_t count, uint32_t time_base_low);
  uint32_t follow(const fs_packet_record& packet, SenderName name);
  void start(const fs_packet_record& packet, SenderName name, Profile profile);
  void change(uint32_t row, Profile before, Profile profile);
  uint8_t* write(uint32_t packets, uint8_t* body);

  MessageColumns columns_;
  FlowTable flows_;
  PairTable pairs_;
  ProfileTable profiles_;
  ColumnWriter writer_;
  uint32_t begun_flows_ = 0;
  uint32_t directions_ = 0;
  uint32_t following_ = 0;
};

}  // namespace flowstone::columns
