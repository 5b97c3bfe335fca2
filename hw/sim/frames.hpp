// SPDX-License-Identifier: Apache-2.0
// Frames of the benches, and what the parser's model makes of them under the card's profile.
#pragma once

#include <cstdint>
#include <vector>

#include "flowstone.h"
#include "mutation.hpp"

namespace flowstone::sim {

using Frame = std::vector<uint8_t>;

/** Bytes that nobody chose; of two in three the type says IP, so that a parser looks at more of them. */
inline Frame random_frame(test::Random& random) {
  constexpr size_t kType = 12;
  Frame frame(1 + random.below(200));
  for (uint8_t& byte : frame) byte = static_cast<uint8_t>(random.next());
  const uint32_t kind = random.below(3);
  if (frame.size() >= kType + 2 && kind != 2) {
    frame[kType] = kind == 0 ? 0x08 : 0x86;
    frame[kType + 1] = kind == 0 ? 0x00 : 0xDD;
  }
  return frame;
}

/** A frame of a card: as a damaged one is, but Ethernet, of one byte or more; often longer than the window; one in eight random. */
inline Frame some_frame(test::Mutator& mutator, test::Random& random) {
  for (;;) {
    if (random.below(8) == 0) return random_frame(random);
    const fs_raw_packet packet = mutator.next();
    Frame frame(mutator.data(), mutator.data() + packet.captured_bytes);
    if (random.below(4) == 0) frame.resize(frame.size() + random.below(400), static_cast<uint8_t>(random.next()));
    if (random.below(1000) == 0) frame.resize(frame.size() + random.below(9000));
    if (!frame.empty()) return frame;
  }
}

inline Frame udp_frame(uint32_t bytes) {
  Frame frame = test::FrameBuilder().ethernet(0x0800).ipv4(17, bytes - 34).udp(5000, 53, bytes - 34).bytes;
  frame.resize(bytes);
  return frame;
}

/** The same of any flow: addresses and ports are random. */
inline Frame udp_frame_of_some_flow(uint32_t bytes, test::Random& random) {
  constexpr size_t kAddresses = 26, kEnd = 38;
  Frame frame = udp_frame(bytes);
  for (size_t place = kAddresses; place < kEnd; place++) frame[place] = static_cast<uint8_t>(random.next());
  return frame;
}

/** What came over the wire is what there is of the frame. */
inline fs_packet_record record_of_frame(const uint8_t* bytes, uint32_t count, uint32_t ingress_port) {
  fs_raw_packet packet = {};
  packet.captured_bytes = count;
  packet.wire_bytes = count;
  packet.link_type = 1;
  packet.flags = ingress_port != 0 ? uint16_t{FS_RAW_PACKET_FLAG_INGRESS_PORT_1} : uint16_t{0};
  fs_packet_record record;
  flowstone_parse(bytes, &packet, 1, FS_PARSE_PROFILE_CARD, &record);
  return record;
}

}  // namespace flowstone::sim
