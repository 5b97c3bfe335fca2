// SPDX-License-Identifier: Apache-2.0
// The file by which XRT knows what is on a card. Ours has no bitstream: names, registers and memories alone. The numbers are those of
// the format that XRT reads (axlf, "xclbin2"); where AMD's header is there, xclbin_layout_check.cpp holds them against it.
#pragma once

#include <cstdint>

namespace flowstone::card::xclbin {

inline constexpr char kMagic[8] = "xclbin2";

struct SectionHeader {
  uint32_t kind;
  char name[16];
  uint64_t offset;
  uint64_t bytes;
};
static_assert(sizeof(SectionHeader) == 40, "size of a section's header");

struct Header {
  char magic[8];
  int32_t signature_length;  // -1: none
  uint8_t reserved[28];      // 0xFF
  uint8_t key_block[256];
  uint64_t unique_id;
  uint64_t length;
  uint64_t time_stamp;
  uint64_t feature_rom_time_stamp;
  uint16_t version_patch;
  uint8_t version_major;
  uint8_t version_minor;
  uint16_t mode;
  uint16_t action_mask;
  uint8_t feature_rom_uuid[16];
  char platform[64];
  uint8_t uuid[16];
  char debug_file[16];
  uint32_t section_count;
};
static_assert(sizeof(Header) == 456, "size of the header before the sections");

enum SectionKind : uint32_t { kEmbeddedMetadata = 2, kMemoryTopology = 6, kConnectivity = 7, kIpLayout = 8 };

struct MemoryBank {
  uint8_t type;
  uint8_t used;
  uint8_t padding[6];
  uint64_t size_kib;
  uint64_t base_address;
  char tag[16];
};
static_assert(sizeof(MemoryBank) == 40, "size of a memory bank");
inline constexpr uint8_t kHbm = 6;

struct Connection {
  int32_t argument;
  int32_t ip;
  int32_t bank;
};

struct Ip {
  uint32_t type;
  uint32_t properties;
  uint64_t base_address;
  char name[64];
};
static_assert(sizeof(Ip) == 80, "size of a kernel instance");
inline constexpr uint32_t kKernelIp = 1;
inline constexpr uint32_t kInterrupts = 1;  // of properties
inline constexpr uint32_t kStartsByRegister = 0 << 8;  // of properties: ap_ctrl_hs
inline constexpr uint16_t kFlat = 0;                   // of mode

}  // namespace flowstone::card::xclbin
