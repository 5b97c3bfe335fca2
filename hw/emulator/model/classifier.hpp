// SPDX-License-Identifier: Apache-2.0
// The rules of one port, as the host writes them word by word: the first that a record meets gives its class, or drops it.
#pragma once

#include <array>
#include <cstring>

#include "flowstone/abi.h"

namespace flowstone::card {

class Classifier {
 public:
  struct Verdict {
    uint32_t traffic_class = 0;
    bool drops = false;
  };

  void write(uint32_t offset_bytes, uint32_t value) {
    if (offset_bytes + sizeof value > sizeof rules_) return;
    std::memcpy(reinterpret_cast<uint8_t*>(rules_.data()) + offset_bytes, &value, sizeof value);
  }

  Verdict classify(const fs_packet_record& record) const {
    const fs_card_rule_key key = key_of(record);
    for (const fs_card_rule& rule : rules_) {
      if ((rule.verdict >> FS_CARD_RULE_VALID_SHIFT & FS_CARD_RULE_VALID_MASK) != 0 && meets(key, rule)) {
        return {rule.verdict >> FS_CARD_RULE_TRAFFIC_CLASS_SHIFT & FS_CARD_RULE_TRAFFIC_CLASS_MASK,
                (rule.verdict >> FS_CARD_RULE_DROPS_SHIFT & FS_CARD_RULE_DROPS_MASK) != 0};
      }
    }
    return {};
  }

 private:
  static constexpr size_t kWords = sizeof(fs_card_rule_key) / 4;

  static fs_card_rule_key key_of(const fs_packet_record& record) {
    constexpr uint32_t kLater = FS_PACKET_RECORD_TRAFFIC_CLASS_MASK << FS_PACKET_RECORD_TRAFFIC_CLASS_SHIFT |
                                FS_PACKET_RECORD_GENERATION_MASK << FS_PACKET_RECORD_GENERATION_SHIFT;
    fs_card_rule_key key;
    std::memcpy(key.source_address, record.source_address, sizeof key.source_address);
    std::memcpy(key.destination_address, record.destination_address, sizeof key.destination_address);
    key.source_port = record.source_port;
    key.destination_port = record.destination_port;
    key.protocol = record.protocol;
    key.tcp_flags = record.tcp_flags;
    key.type_of_service = record.type_of_service;
    key.time_to_live = record.time_to_live;
    key.descriptor = record.descriptor & ~kLater;
    return key;
  }

  static bool meets(const fs_card_rule_key& key, const fs_card_rule& rule) {
    uint32_t keys[kWords], values[kWords], masks[kWords];
    std::memcpy(keys, &key, sizeof keys);
    std::memcpy(values, &rule.value, sizeof values);
    std::memcpy(masks, &rule.mask, sizeof masks);
    uint32_t different = 0;
    for (size_t i = 0; i < kWords; i++) different |= (keys[i] ^ values[i]) & masks[i];
    return different == 0;
  }

  std::array<fs_card_rule, FS_CARD_RULE_COUNT> rules_{};
};

}  // namespace flowstone::card
