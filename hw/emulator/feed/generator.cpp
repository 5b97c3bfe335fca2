// SPDX-License-Identifier: Apache-2.0
#include "generator.hpp"

#include <algorithm>
#include <cstring>

namespace flowstone::card {
namespace {

constexpr uint32_t kPoolPackets = 16384;
constexpr uint32_t kKeptBytes = 192;
constexpr uint8_t kTcp = 6, kUdp = 17;

/** splitmix64: small, and the same everywhere for one seed. */
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  uint32_t below(uint32_t bound) { return static_cast<uint32_t>(next() % bound); }

 private:
  uint64_t state_;
};

/** What the packets of one flow have in common; all of it follows from its number and the seed. */
struct Flow {
  bool is_ipv4, is_tcp, is_tagged;
  uint8_t addresses[2][16];
  uint16_t ports[2];

  Flow(uint64_t seed, uint32_t number) {
    Random random(seed * 0x9e3779b9 + number);
    is_ipv4 = random.below(100) < 85;
    is_tcp = random.below(100) < 75;
    is_tagged = random.below(100) < 20;
    for (auto& address : addresses) {
      for (uint8_t& byte : address) byte = static_cast<uint8_t>(random.next() >> 56);
    }
    ports[0] = static_cast<uint16_t>(1024 + random.below(60000));
    ports[1] = 443;
  }
};

class FrameWriter {
 public:
  std::vector<uint8_t> bytes;

  FrameWriter& u8(uint32_t value) {
    bytes.push_back(static_cast<uint8_t>(value));
    return *this;
  }
  FrameWriter& u16(uint32_t value) { return u8(value >> 8).u8(value); }
  FrameWriter& u32(uint32_t value) { return u16(value >> 16).u16(value); }
  FrameWriter& copy(const uint8_t* data, size_t count) {
    bytes.insert(bytes.end(), data, data + count);
    return *this;
  }

  FrameWriter& ethernet(const Flow& flow) {
    u32(0x02000000).u16(1).u32(0x02000000).u16(2);
    if (flow.is_tagged) u16(0x8100).u16(5);
    return u16(flow.is_ipv4 ? 0x0800 : 0x86DD);
  }

  FrameWriter& network(const Flow& flow, uint32_t from, uint32_t layer4_bytes) {
    const uint8_t protocol = flow.is_tcp ? kTcp : kUdp;
    if (flow.is_ipv4) {
      u16(0x4500).u16(20 + layer4_bytes).u32(0x00004000).u8(64).u8(protocol).u16(0);
      return copy(flow.addresses[from], 4).copy(flow.addresses[1 - from], 4);
    }
    u32(0x60000000).u16(layer4_bytes).u8(protocol).u8(64);
    return copy(flow.addresses[from], 16).copy(flow.addresses[1 - from], 16);
  }

  FrameWriter& transport(const Flow& flow, uint32_t from, uint32_t sequence, uint32_t layer4_bytes) {
    u16(flow.ports[from]).u16(flow.ports[1 - from]);
    if (!flow.is_tcp) return u16(layer4_bytes).u16(0);
    return u32(sequence).u32(sequence / 2).u16(0x5010).u16(64240).u32(0);
  }
};

std::vector<uint8_t> arp_request() {
  FrameWriter frame;
  frame.u32(0xFFFFFFFF).u16(0xFFFF).u32(0x02000000).u16(2).u16(0x0806).u16(1).u16(0x0800).u16(0x0604).u16(1);
  frame.bytes.resize(60);
  return frame.bytes;
}

}  // namespace

GeneratorFeed::GeneratorFeed(const GeneratorOptions& options) : left_(options.packets == 0 ? UINT64_MAX : options.packets) {
  Random random(options.seed);
  while (pool_.size() < kPoolPackets) {
    std::vector<uint8_t> frame;
    uint32_t wire_bytes = 60;
    if (random.below(200) == 0) {
      frame = arp_request();
    } else {
      const Flow flow(options.seed, random.below(std::max(1u, options.flows)));
      const uint32_t size = random.below(12), from = random.below(2);
      const uint32_t layer4_bytes = (flow.is_tcp ? 20 : 8) + (size < 7 ? 12 : size < 11 ? 520 : 1420);
      FrameWriter writer;
      writer.ethernet(flow).network(flow, from, layer4_bytes);
      const uint32_t headers = static_cast<uint32_t>(writer.bytes.size());
      writer.transport(flow, from, static_cast<uint32_t>(random.next()), layer4_bytes);
      wire_bytes = headers + layer4_bytes;
      frame = std::move(writer.bytes);
      frame.resize(std::min(wire_bytes, kKeptBytes));
    }
    fs_raw_packet packet = {};
    packet.data_offset = bytes_.size();
    packet.captured_bytes = static_cast<uint32_t>(frame.size());
    packet.wire_bytes = wire_bytes;
    packet.link_type = kLinkEthernet;
    pool_.push_back(packet);
    bytes_.insert(bytes_.end(), frame.begin(), frame.end());
  }
}

FrameBatch GeneratorFeed::next(fs_raw_packet* packets, uint32_t most) {
  const uint64_t wanted = std::min<uint64_t>(most, left_);
  const uint32_t count = static_cast<uint32_t>(std::min<uint64_t>(wanted, kPoolPackets - at_));
  std::memcpy(packets, pool_.data() + at_, count * sizeof *packets);
  at_ = (at_ + count) % kPoolPackets;
  left_ -= count;
  return {bytes_.data(), count};
}

}  // namespace flowstone::card
