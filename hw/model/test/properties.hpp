// SPDX-License-Identifier: Apache-2.0
// What holds for every packet, however damaged. Used by the tests, the mutation loop and the fuzzer.
#pragma once

#include "frame.hpp"
#include "general_path.hpp"
#include "parsed.hpp"

namespace flowstone::test {

inline fs_packet_record reversed(const fs_packet_record& record) {
  fs_packet_record other = record;
  std::memcpy(other.source_address, record.destination_address, 16);
  std::memcpy(other.destination_address, record.source_address, 16);
  other.source_port = record.destination_port;
  other.destination_port = record.source_port;
  return other;
}

inline bool is_other(const fs_packet_record& record) { return kind(record) == FS_RECORD_KIND_OTHER; }

inline bool is_blank_other(const fs_packet_record& record) {
  static const uint8_t zeros[32] = {};
  return record.source_port >= FS_OTHER_REASON_NOT_IP && record.source_port <= FS_OTHER_REASON_TOO_DEEP &&
         std::memcmp(record.source_address, zeros, 32) == 0 && record.flow_hash == 0 && record.protocol == 0 &&
         record.sequence == 0 && record.acknowledgement == 0 && record.tcp_flags == 0 && record.payload_length == 0;
}

/** Null, or the property that does not hold. */
inline const char* broken_property(const uint8_t* data, const fs_raw_packet& packet) {
  fs_packet_record software, card, general;
  std::memset(&software, 0xA5, sizeof software);
  std::memset(&card, 0x5A, sizeof card);
  flowstone_parse(data, &packet, 1, FS_PARSE_PROFILE_SOFTWARE, &software);
  flowstone_parse(data, &packet, 1, FS_PARSE_PROFILE_CARD, &card);
  parse_general(data, packet, kSoftwareProfile, general);
  if (!same(software, general)) return "the fast path equals the general path, software profile";
  parse_general(data, packet, kCardProfile, general);
  if (!same(card, general)) return "the fast path equals the general path, card profile";
  if (kind(software) < FS_RECORD_KIND_IPV4 || kind(software) > FS_RECORD_KIND_IPV6_ENCAPSULATED)
    return "kind is a packet's";
  if (generation(software) != 0) return "generation is 0";
  if (is_other(software) && !is_blank_other(software)) return "a record of kind OTHER has a reason and no tuple";
  if (is_other(card) && !is_blank_other(card)) return "a card record of kind OTHER has a reason and no tuple";
  if (flowstone_flow_hash(&software) != software.flow_hash) return "the flow hash can be found from the record";
  const fs_packet_record opposite = reversed(software);
  if (!is_other(software) && flowstone_flow_hash(&opposite) != software.flow_hash) return "both directions hash alike";
  if (!is_other(card) && (kind(card) != kind(software) || !same_tuple(card, software))) {
    return "a tuple from the card is the tuple from software";
  }
  return nullptr;
}

}  // namespace flowstone::test
