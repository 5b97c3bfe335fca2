// SPDX-License-Identifier: Apache-2.0
// libFuzzer target. Input: link type (2 bytes), flags (1), frame length beyond the captured bytes (4), then the frame.
#include <cstdio>
#include <cstdlib>

#include "fuzz_input.hpp"
#include "properties.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flowstone::test;
  if (size < kFuzzPrefixBytes) {
    return 0;
  }
  fs_raw_packet packet = {};
  packet.captured_bytes = static_cast<uint32_t>(size - kFuzzPrefixBytes);
  std::memcpy(&packet.link_type, data, 2);
  packet.flags = data[2];
  std::memcpy(&packet.wire_bytes, data + 3, 4);
  packet.wire_bytes += packet.captured_bytes;
  const char* broken = broken_property(data + kFuzzPrefixBytes, packet);
  if (broken != nullptr) {
    std::fprintf(stderr, "does not hold: %s\n", broken);
    std::abort();
  }
  return 0;
}
