// SPDX-License-Identifier: Apache-2.0
// The form of pcap, in files and in pipes: a header, then each frame behind its own.
#pragma once

#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>

#include "feed.hpp"

namespace flowstone::card {

inline constexpr uint32_t kLongestFrame = 1u << 18;  // of any capture; longer ones are damage

/** What lies at some place, in the byte order of whoever wrote it. */
class Bytes {
 public:
  Bytes(const uint8_t* data, uint64_t count) : data_(data), count_(count) {}

  bool has(uint64_t offset, uint64_t count) const { return offset <= count_ && count <= count_ - offset; }
  uint64_t count() const { return count_; }
  const uint8_t* data() const { return data_; }
  uint32_t u32(uint64_t offset) const {
    uint32_t value;
    std::memcpy(&value, data_ + offset, sizeof value);
    return is_swapped ? __builtin_bswap32(value) : value;
  }
  uint16_t u16(uint64_t offset) const {
    uint16_t value;
    std::memcpy(&value, data_ + offset, sizeof value);
    return is_swapped ? __builtin_bswap16(value) : value;
  }
  uint8_t u8(uint64_t offset) const { return data_[offset]; }

  bool is_swapped = false;

 private:
  const uint8_t* data_;
  uint64_t count_;
};

/** False: it cannot be sent over a wire. */
inline bool fill_packet(fs_raw_packet& packet, uint64_t data_offset, uint32_t captured_bytes, uint32_t wire_bytes, uint16_t link_type,
                        uint64_t time_ns) {
  packet = {};
  packet.data_offset = data_offset;
  packet.time_ns = time_ns;
  packet.captured_bytes = captured_bytes;
  packet.wire_bytes = wire_bytes < captured_bytes ? captured_bytes : wire_bytes;
  packet.link_type = link_type;
  return captured_bytes > 0 && link_type == kLinkEthernet;
}

struct PcapHeader {
  static constexpr uint32_t kBytes = 24;

  bool is_swapped = false;
  uint64_t ns_per_unit = 1000;

  /** Throws std::runtime_error for what is no pcap of Ethernet; the name says whose. */
  static PcapHeader read(const uint8_t* data, const std::string& name) {
    constexpr uint32_t kMicroseconds = 0xA1B2C3D4, kNanoseconds = 0xA1B23C4D;
    Bytes bytes(data, kBytes);
    const uint32_t magic = bytes.u32(0);
    bytes.is_swapped = magic == __builtin_bswap32(kMicroseconds) || magic == __builtin_bswap32(kNanoseconds);
    const uint32_t known = bytes.u32(0);
    if (known != kMicroseconds && known != kNanoseconds) {
      throw std::runtime_error(name + " is neither pcap nor pcapng: unpack it, or make one of it with editcap");
    }
    const uint32_t link_type = bytes.u32(20) & 0xFFFF;
    if (link_type != kLinkEthernet) {
      throw std::runtime_error(name + " has link type " + std::to_string(link_type) +
                               ": a port of the card takes Ethernet (link type 1) alone");
    }
    return {bytes.is_swapped, known == kNanoseconds ? uint64_t{1} : uint64_t{1000}};
  }
};

struct PcapRecord {
  static constexpr uint32_t kHeaderBytes = 16;

  uint64_t time_ns;
  uint32_t captured_bytes;
  uint32_t wire_bytes;
  uint64_t data_offset;

  /** None: not all of its header is there. The frame may not be, nor make sense. */
  static std::optional<PcapRecord> read(const Bytes& bytes, uint64_t offset, const PcapHeader& header) {
    if (!bytes.has(offset, kHeaderBytes)) return std::nullopt;
    const uint64_t seconds = bytes.u32(offset), fraction = bytes.u32(offset + 4);
    return PcapRecord{seconds * 1'000'000'000 + fraction * header.ns_per_unit, bytes.u32(offset + 8), bytes.u32(offset + 12),
                      offset + kHeaderBytes};
  }

  uint64_t end() const { return data_offset + captured_bytes; }

  bool fill(fs_raw_packet& packet) const { return fill_packet(packet, data_offset, captured_bytes, wire_bytes, kLinkEthernet, time_ns); }
};

}  // namespace flowstone::card
