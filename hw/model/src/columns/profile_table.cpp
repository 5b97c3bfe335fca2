// SPDX-License-Identifier: Apache-2.0
#include "profile_table.hpp"

namespace flowstone::columns {
namespace {

constexpr uint32_t kMostSlotsLog2 = 12;
constexpr uint64_t kSpread = 0x9E3779B97F4A7C15u;

}  // namespace

ProfileTable::ProfileTable(Memory& memory, uint32_t max_profiles)
    : rows_(memory, max_profiles, kMostSlotsLog2), words_(memory.take<uint64_t>(max_profiles)) {}

uint32_t ProfileTable::code_of(Profile profile, MessageColumns& columns) {
  const uint32_t code =
      rows_.code_of(profile.word() * kSpread, [&](uint32_t row) { return words_[row] == profile.word(); });
  if (code == 0) {
    const uint32_t row = rows_.count() - 1;
    words_[row] = profile.word();
    columns.plain[FS_PACKET_COLUMNS_PROFILE_WINDOW][row] = profile.window();
    columns.plain[FS_PACKET_COLUMNS_PROFILE_OVERHEAD][row] = profile.overhead();
    columns.plain[FS_PACKET_COLUMNS_TIME_TO_LIVE][row] = profile.time_to_live();
    columns.plain[FS_PACKET_COLUMNS_TYPE_OF_SERVICE][row] = profile.type_of_service();
    columns.plain[FS_PACKET_COLUMNS_DESCRIPTOR_HIGH][row] = profile.descriptor_high();
  }
  return code;
}

}  // namespace flowstone::columns
