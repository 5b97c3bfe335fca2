// SPDX-License-Identifier: Apache-2.0
// Writes the columnar body of a packet batch, as hw/abi/packet-columns.yaml describes it.
//
// Each record is taken apart into columns as it comes: what stands in a packet itself, and how it differs from what its
// sender's latest packet makes one expect. At the end the flows are written, and each column is packed.
#pragma once

#include "pair_table.hpp"
#include "profile_table.hpp"

namespace flowstone::columns {

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

  /** A body of so many packets. */
  void begin(uint32_t packets, uint32_t time_base_low);

  /** The next of them; upcoming is never read, only asked for. */
  void add(const fs_packet_record* packets, uint32_t count, const void* upcoming);

  /** Writes the body and returns where it ends; null where a record was no packet. */
  uint8_t* end(uint8_t* body);

 private:
  uint32_t follow(const fs_packet_record& packet, SenderName name);
  void start(const fs_packet_record& packet, SenderName name, Profile profile);
  void change(uint32_t row, Profile before, Profile profile);

  MessageColumns columns_;
  FlowTable flows_;
  PairTable pairs_;
  ProfileTable profiles_;
  ColumnWriter writer_;
  uint32_t packets_ = 0;
  uint32_t previous_time_ = 0;
  uint32_t kinds_ = 0;
  uint32_t begun_flows_ = 0;
  uint32_t directions_ = 0;
  uint32_t following_ = 0;
};

}  // namespace flowstone::columns
