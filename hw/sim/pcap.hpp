// SPDX-License-Identifier: Apache-2.0
// Frames of a capture file in the classic format. pcapng is read by the tap, not here.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace flowstone::sim {

struct Capture {
  std::string problem;  // empty: none
  uint32_t link_type = 0;
  std::vector<std::vector<uint8_t>> frames;
};

class PcapFile {
 public:
  static Capture read(const char* path) {
    Capture capture;
    std::FILE* file = std::fopen(path, "rb");
    if (file == nullptr) {
      capture.problem = "cannot be opened";
      return capture;
    }
    PcapFile(file).read_into(capture);
    std::fclose(file);
    return capture;
  }

 private:
  static constexpr uint32_t kLongestFrame = 1u << 18;

  explicit PcapFile(std::FILE* file) : file_(file) {}

  void read_into(Capture& capture) {
    uint32_t header[6];
    if (std::fread(header, sizeof header, 1, file_) != 1) {
      capture.problem = "has no header";
      return;
    }
    const uint32_t magic = header[0];
    swapped_ = magic == 0xD4C3B2A1 || magic == 0x4D3CB2A1;
    if (!swapped_ && magic != 0xA1B2C3D4 && magic != 0xA1B23C4D) {
      capture.problem = "is no pcap file (editcap -F pcap makes one of pcapng)";
      return;
    }
    capture.link_type = number(header[5]) & 0xFFFF;
    uint32_t packet[4];
    while (std::fread(packet, sizeof packet, 1, file_) == 1) {
      const uint32_t captured = number(packet[2]);
      if (captured > kLongestFrame) {
        capture.problem = "has a frame of " + std::to_string(captured) + " bytes";
        return;
      }
      std::vector<uint8_t> frame(captured);
      if (captured > 0 && std::fread(frame.data(), captured, 1, file_) != 1) return;  // cut in the middle of the last frame
      capture.frames.push_back(std::move(frame));
    }
  }

  uint32_t number(uint32_t value) const { return swapped_ ? __builtin_bswap32(value) : value; }

  std::FILE* file_;
  bool swapped_ = false;
};

}  // namespace flowstone::sim
