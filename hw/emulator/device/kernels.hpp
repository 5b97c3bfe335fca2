// SPDX-License-Identifier: Apache-2.0
// Which kernels the card has, what they are called, and their arguments: the one list behind the registers, both front ends and the
// xclbin. In the order of their addresses, which is the order in which XRT numbers compute units.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "flowstone/abi.h"

namespace flowstone::card {

inline constexpr uint32_t kPorts = 2;
inline constexpr uint32_t kRings = FS_CARD_RING_REGISTERS_MOST_RINGS;
inline constexpr uint32_t kKernels = 2 * kPorts + 1;  // of a card without a cable; one with cables has no sources
inline constexpr uint32_t kRingKernel = kPorts;
inline constexpr uint32_t source_kernel(uint32_t port) { return kRingKernel + 1 + port; }
inline constexpr bool is_source(uint32_t kernel) { return kernel > kRingKernel; }

/** One channel of the card's memory holds the largest ring, or what a source sends. */
inline constexpr uint32_t kBanks = kRings + kPorts;
inline constexpr uint64_t kBankBytes = uint64_t{sizeof(fs_packet_record)} << FS_CARD_RING_REGISTERS_MOST_SLOTS_LOG2;
inline constexpr uint64_t kMemoryBytes = kBanks * kBankBytes;

inline constexpr uint32_t kRegisterBytes = sizeof(fs_card_tap_registers);
static_assert(kRegisterBytes == sizeof(fs_card_ring_registers) && kRegisterBytes == sizeof(fs_card_source_registers),
              "the kernels' register windows differ in size");

inline constexpr int kNoBank = -1;

struct Argument {
  const char* name;
  const char* type;
  uint32_t offset_bytes;
  uint32_t size_bytes;
  int bank;  // of the card's memory, if the argument is an address

  bool is_address() const { return bank != kNoBank; }
};

enum class KernelKind { kTap, kRings, kSource };

struct Kernel {
  const char* kernel;
  const char* instance;
  uint64_t base_address;
  KernelKind kind;
  const Argument* arguments;
  size_t argument_count;
};

inline constexpr std::array<Argument, 2> kTapArguments{{
    {"ingress_port", "unsigned int", offsetof(fs_card_tap_registers, ingress_port), 4, kNoBank},
    {"max_parallelism", "unsigned int", offsetof(fs_card_tap_registers, max_parallelism), 4, kNoBank},
}};

inline constexpr uint32_t offset_of_base(uint32_t ring) {
  return static_cast<uint32_t>(offsetof(fs_card_ring_registers, base_addresses) + ring * sizeof(uint64_t));
}

inline constexpr std::array<Argument, kRings + 2> kRingArguments{{
    {"ring_0", "void*", offset_of_base(0), 8, 0},
    {"ring_1", "void*", offset_of_base(1), 8, 1},
    {"ring_2", "void*", offset_of_base(2), 8, 2},
    {"ring_3", "void*", offset_of_base(3), 8, 3},
    {"ring_4", "void*", offset_of_base(4), 8, 4},
    {"ring_5", "void*", offset_of_base(5), 8, 5},
    {"ring_6", "void*", offset_of_base(6), 8, 6},
    {"ring_7", "void*", offset_of_base(7), 8, 7},
    {"slots_log2", "unsigned int", offsetof(fs_card_ring_registers, slots_log2), 4, kNoBank},
    {"ring_count", "unsigned int", offsetof(fs_card_ring_registers, ring_count), 4, kNoBank},
}};

inline constexpr std::array<Argument, 3> kSource0Arguments{{
    {"base_address", "void*", offsetof(fs_card_source_registers, base_address), 8, 8},
    {"units", "unsigned int", offsetof(fs_card_source_registers, units), 4, kNoBank},
    {"rounds", "unsigned int", offsetof(fs_card_source_registers, rounds), 4, kNoBank},
}};

inline constexpr std::array<Argument, 3> kSource1Arguments{{
    {"base_address", "void*", offsetof(fs_card_source_registers, base_address), 8, 9},
    {"units", "unsigned int", offsetof(fs_card_source_registers, units), 4, kNoBank},
    {"rounds", "unsigned int", offsetof(fs_card_source_registers, rounds), 4, kNoBank},
}};

inline constexpr std::array<Kernel, kKernels> kKernelList{{
    {"ht_tap", "ht_tap_0", 0x1800000, KernelKind::kTap, kTapArguments.data(), kTapArguments.size()},
    {"ht_tap", "ht_tap_1", 0x1810000, KernelKind::kTap, kTapArguments.data(), kTapArguments.size()},
    {"ht_ring", "ht_ring_0", 0x1820000, KernelKind::kRings, kRingArguments.data(), kRingArguments.size()},
    {"ht_pcapsrc", "ht_pcapsrc_0", 0x1830000, KernelKind::kSource, kSource0Arguments.data(), kSource0Arguments.size()},
    {"ht_pcapsrc", "ht_pcapsrc_1", 0x1840000, KernelKind::kSource, kSource1Arguments.data(), kSource1Arguments.size()},
}};

/** What a card was linked of, by its name in hw/vitis: the first kernels of the list, and the first banks. */
struct Design {
  const char* name;
  const char* uuid_text;  // that its xclbin is known by
  uint32_t kernels;
  uint32_t banks;

  bool has_sources() const { return kernels == kKernels; }
};
inline constexpr Design kCabled{"u280", "flowstone card", kRingKernel + 1, kRings};
inline constexpr Design kCableless{"u280_pcapsrc", "flowstone pcap", kKernels, kBanks};

/** All kernels have the common registers at the same places. */
inline constexpr uint32_t kControlOffset = offsetof(fs_card_tap_registers, control);
inline constexpr uint32_t kStopOffset = offsetof(fs_card_tap_registers, stop);
inline constexpr uint32_t kMagicOffset = offsetof(fs_card_tap_registers, magic);
inline constexpr uint32_t kVersionOffset = offsetof(fs_card_tap_registers, version);
inline constexpr uint32_t kBuildOffset = offsetof(fs_card_tap_registers, build);
static_assert(kControlOffset == offsetof(fs_card_source_registers, control) && kStopOffset == offsetof(fs_card_source_registers, stop) &&
                  kMagicOffset == offsetof(fs_card_source_registers, magic) &&
                  kVersionOffset == offsetof(fs_card_source_registers, version) &&
                  kBuildOffset == offsetof(fs_card_source_registers, build),
              "a source's common registers lie at other places");
static_assert(kControlOffset == offsetof(fs_card_ring_registers, control) && kStopOffset == offsetof(fs_card_ring_registers, stop) &&
                  kMagicOffset == offsetof(fs_card_ring_registers, magic) &&
                  kVersionOffset == offsetof(fs_card_ring_registers, version) &&
                  kBuildOffset == offsetof(fs_card_ring_registers, build),
              "the kernels' common registers lie at different places");

inline constexpr uint32_t kStart = FS_CARD_TAP_REGISTERS_START_MASK << FS_CARD_TAP_REGISTERS_START_SHIFT;
inline constexpr uint32_t kDone = FS_CARD_TAP_REGISTERS_DONE_MASK << FS_CARD_TAP_REGISTERS_DONE_SHIFT;
inline constexpr uint32_t kIdle = FS_CARD_TAP_REGISTERS_IDLE_MASK << FS_CARD_TAP_REGISTERS_IDLE_SHIFT;
inline constexpr uint32_t kReady = FS_CARD_TAP_REGISTERS_READY_MASK << FS_CARD_TAP_REGISTERS_READY_SHIFT;
static_assert(FS_CARD_TAP_REGISTERS_DONE_SHIFT == FS_CARD_RING_REGISTERS_DONE_SHIFT &&
                  FS_CARD_TAP_REGISTERS_IDLE_SHIFT == FS_CARD_RING_REGISTERS_IDLE_SHIFT &&
                  FS_CARD_TAP_REGISTERS_DONE_SHIFT == FS_CARD_SOURCE_REGISTERS_DONE_SHIFT &&
                  FS_CARD_TAP_REGISTERS_IDLE_SHIFT == FS_CARD_SOURCE_REGISTERS_IDLE_SHIFT,
              "the kernels' control registers differ");

}  // namespace flowstone::card
