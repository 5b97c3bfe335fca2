// SPDX-License-Identifier: Apache-2.0
// A packer whose memory and body end in bytes that must stay as they are.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "columns/flow_key.hpp"
#include "flowstone.h"
#include "mutation.hpp"

namespace flowstone::test {

/** Packets any bits of which may be set; a few flows, hosts and profiles among them, as in traffic. */
inline std::vector<fs_packet_record> wild_packets(Random& random, uint32_t count) {
  constexpr uint32_t kKinds[] = {FS_RECORD_KIND_IPV4, FS_RECORD_KIND_IPV6, FS_RECORD_KIND_OTHER,
                                 FS_RECORD_KIND_IPV4_ENCAPSULATED, FS_RECORD_KIND_IPV6_ENCAPSULATED};
  constexpr uint32_t kNoKind = ~(FS_PACKET_RECORD_KIND_MASK << FS_PACKET_RECORD_KIND_SHIFT);
  std::vector<fs_packet_record> records(count);
  for (uint32_t index = 0; index < count; index++) {
    uint64_t words[sizeof(fs_packet_record) / 8];
    const uint64_t spread = random.below(3) == 0 ? ~uint64_t{0} : 0x0101'0000'0003'0001u;
    for (uint64_t& word : words) {
      word = random.next() & spread;
    }
    std::memcpy(&records[index], words, sizeof words);
    const uint32_t kind = kKinds[random.below(5)];
    records[index].descriptor = (records[index].descriptor & kNoKind) | kind << FS_PACKET_RECORD_KIND_SHIFT;
  }
  return records;
}

inline columns::Secret any_secret() {
  Random random(31);
  columns::Secret secret;
  for (uint64_t& number : secret.numbers) {
    number = random.next();
  }
  return secret;
}

class Packing {
 public:
  explicit Packing(uint32_t max_packets) : bytes_(flowstone_packer_bytes(max_packets)) {
    packer_ = static_cast<uint8_t*>(std::aligned_alloc(64, (bytes_ + kGuardBytes + 63) / 64 * 64));
    std::memset(packer_, kGuard, bytes_ + kGuardBytes);
    flowstone_packer_make(packer_, max_packets, any_secret().numbers);
  }
  Packing(const Packing&) = delete;
  Packing& operator=(const Packing&) = delete;
  ~Packing() { std::free(packer_); }

  /** Added a few at a time, as they come. */
  std::vector<uint8_t> pack(const std::vector<fs_packet_record>& records, uint32_t at_once = 256) {
    const uint32_t count = static_cast<uint32_t>(records.size());
    const uint64_t room = flowstone_body_bytes(count);
    std::vector<uint8_t> body(room + kGuardBytes, kGuard);
    flowstone_pack_begin(packer_, count, 17);
    for (uint32_t first = 0; first < count; first += at_once) {
      flowstone_pack_add(packer_, records.data() + first, std::min(at_once, count - first), nullptr);
    }
    const uint64_t length = flowstone_pack_end(packer_, body.data());
    kept_ = kept_ && length <= room && untouched(body.data() + room);
    body.resize(length);
    return body;
  }

  bool holds(const columns::Secret& secret) const {
    const auto* const bytes = reinterpret_cast<const uint8_t*>(secret.numbers);
    const uint8_t* const end = packer_ + bytes_;
    return std::search<const uint8_t*>(packer_, end, bytes, bytes + sizeof secret.numbers) != end;
  }

  bool kept_to_its_memory() const { return kept_ && untouched(packer_ + bytes_); }

 private:
  static constexpr uint8_t kGuard = 0xA5;
  static constexpr uint64_t kGuardBytes = 256;

  static bool untouched(const uint8_t* guard) {
    return std::all_of(guard, guard + kGuardBytes, [](uint8_t byte) { return byte == kGuard; });
  }

  uint64_t bytes_;
  uint8_t* packer_;
  bool kept_ = true;
};

}  // namespace flowstone::test
