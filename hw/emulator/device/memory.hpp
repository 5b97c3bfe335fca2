// SPDX-License-Identifier: Apache-2.0
// The card's memory: banks as HBM's channels, and who has which part of them. What is freed keeps its bytes, and what was never used
// has bytes that look like packets, for a real card clears nothing either: a host that trusts fresh memory shall find out here.
#pragma once

#include <array>
#include <map>
#include <optional>

#include "kernels.hpp"
#include "shared_memory.hpp"

namespace flowstone::card {

inline constexpr uint64_t kPageBytes = 4096;

inline uint64_t whole_pages(uint64_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes; }

/** Slots that could be packets of a ring's first lap. */
inline void fill_with_plausible_records(uint8_t* bytes, uint64_t count) {
  fs_packet_record record;
  std::memset(&record, 0xA5, sizeof record);
  record.descriptor = 60u << FS_PACKET_RECORD_FRAME_LENGTH_SHIFT | uint32_t{FS_RECORD_KIND_IPV4} << FS_PACKET_RECORD_KIND_SHIFT |
                      1u << FS_PACKET_RECORD_GENERATION_SHIFT;
  for (uint64_t offset = 0; offset + sizeof record <= count; offset += sizeof record) {
    std::memcpy(bytes + offset, &record, sizeof record);
  }
}

class DeviceMemory {
 public:
  DeviceMemory() : memory_("flowstone-card-memory", kMemoryBytes) {}

  uint8_t* at(uint64_t address) const { return memory_.address() + address; }
  int descriptor() const { return memory_.descriptor(); }

  /** The first gap of the bank that is large enough; none: it is full. */
  std::optional<uint64_t> allocate(uint32_t bank, uint64_t bytes) {
    const uint64_t size = whole_pages(bytes);
    if (bank >= kBanks || bytes == 0 || size > kBankBytes) return std::nullopt;
    uint64_t offset = 0;
    for (const auto& [begin, used] : used_[bank]) {
      if (begin - offset >= size) break;
      offset = begin + used;
    }
    if (kBankBytes - offset < size) return std::nullopt;
    used_[bank].emplace(offset, size);
    soil(bank, offset + size);
    return bank * kBankBytes + offset;
  }

  void free(uint64_t address) { used_[address / kBankBytes % kBanks].erase(address % kBankBytes); }

  uint64_t used_bytes() const {
    uint64_t sum = 0;
    for (const auto& bank : used_) {
      for (const auto& [begin, used] : bank) sum += used;
    }
    return sum;
  }

 private:
  void soil(uint32_t bank, uint64_t end) {
    if (end <= soiled_[bank]) return;
    fill_with_plausible_records(at(bank * kBankBytes + soiled_[bank]), end - soiled_[bank]);
    soiled_[bank] = end;
  }

  SharedMemory memory_;
  std::array<std::map<uint64_t, uint64_t>, kBanks> used_;  // offset in the bank, bytes
  std::array<uint64_t, kBanks> soiled_{};                  // up to here something was there once
};

}  // namespace flowstone::card
