// SPDX-License-Identifier: Apache-2.0
// The profiles of a message, found by their word, and their columns.
#pragma once

#include "message_columns.hpp"
#include "profile.hpp"
#include "shared_rows.hpp"

namespace flowstone::columns {

class ProfileTable {
 public:
  ProfileTable(Memory& memory, uint32_t max_profiles);

  /** Makes room for a message of so many packets. */
  void clear(uint32_t packets) { rows_.clear(packets); }

  /** What the direction column says of a profile: 1 + its row, or 0 where it takes the next row. */
  uint32_t code_of(Profile profile, MessageColumns& columns);

  uint32_t count() const { return rows_.count(); }

 private:
  SharedRows rows_;
  uint64_t* words_;
};

}  // namespace flowstone::columns
