// SPDX-License-Identifier: Apache-2.0
// Damaged packets, the same for the same seed. Each lies against the end of its buffer, so that a sanitizer sees the
// first byte read too far.
#pragma once

#include <algorithm>
#include <memory>

#include "parsed.hpp"

namespace flowstone::test {

/** xorshift64*: small, fast, and the same everywhere. */
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}

  uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1Du;
  }

  uint32_t below(uint32_t bound) { return static_cast<uint32_t>((next() >> 32) * bound >> 32); }

 private:
  uint64_t state_;
};

class Mutator {
 public:
  Mutator(uint64_t seed, std::vector<OddFrame> originals)
      : random_(seed), originals_(std::move(originals)), buffer_(new uint8_t[kBufferBytes]) {}

  /** The next packet; its bytes are at data() until the next call. */
  fs_raw_packet next() {
    const FrameBuilder& original = originals_[random_.below(static_cast<uint32_t>(originals_.size()))].frame;
    bytes_ = original.bytes;
    for (uint32_t changes = random_.below(4); changes > 0; changes--) {
      change();
    }
    bytes_.resize(std::min<size_t>(bytes_.size(), kBufferBytes));
    data_ = buffer_.get() + kBufferBytes - bytes_.size();
    std::copy(bytes_.begin(), bytes_.end(), data_);
    return describe(original.link_type);
  }

  const uint8_t* data() const { return data_; }

 private:
  static constexpr size_t kBufferBytes = 512;

  void change() {
    const uint32_t size = static_cast<uint32_t>(bytes_.size());
    if (size == 0) {
      return;
    }
    // Headers are at the front: half of the changes go there.
    const uint32_t place = random_.below(2) == 0 ? random_.below(std::min(size, 24u)) : random_.below(size);
    const uint8_t value = static_cast<uint8_t>(random_.next());
    static const uint8_t telling[] = {0,  1,    4,    6,    8,    17,   43,   44,   51,
                                      60, 0x45, 0x46, 0x60, 0x81, 0x86, 0x88, 0xDD, 0xFF};
    switch (random_.below(6)) {
      case 0:
        bytes_[place] ^= static_cast<uint8_t>(1u << (value & 7));
        break;
      case 1:
        bytes_[place] = value;
        break;
      case 2:
        bytes_[place] = telling[random_.below(sizeof telling)];
        break;
      case 3:
        bytes_.resize(random_.below(size + 1));
        break;
      case 4:  // a piece twice: one more tag, label or header
        bytes_.insert(bytes_.begin() + place, bytes_.begin() + place,
                      bytes_.begin() + std::min(size, place + 4 + (value & 7)));
        break;
      default:
        bytes_.erase(bytes_.begin() + place, bytes_.begin() + std::min(size, place + 1 + (value & 7)));
    }
  }

  fs_raw_packet describe(uint16_t link_type) {
    static const uint16_t links[] = {0, 1, 9, 12, 50, 51, 101, 104, 108, 113, 166, 204, 228, 229, 276, 253};
    fs_raw_packet packet = {};
    packet.time_ns = random_.next();
    packet.captured_bytes = static_cast<uint32_t>(bytes_.size());
    packet.wire_bytes = random_.below(4) == 0 ? static_cast<uint32_t>(random_.next()) : packet.captured_bytes;
    packet.link_type = random_.below(16) == 0 ? links[random_.below(16)] : link_type;
    packet.flags = random_.below(16) == 0 ? static_cast<uint16_t>(random_.below(8)) : uint16_t{0};
    return packet;
  }

  Random random_;
  std::vector<OddFrame> originals_;
  std::unique_ptr<uint8_t[]> buffer_;
  std::vector<uint8_t> bytes_;
  uint8_t* data_ = nullptr;
};

}  // namespace flowstone::test
