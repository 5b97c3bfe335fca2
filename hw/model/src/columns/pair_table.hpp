// SPDX-License-Identifier: Apache-2.0
// The pairs of hosts that the flows of a message share, and the columns of pairs and flows.
#pragma once

#include "flow_table.hpp"
#include "message_columns.hpp"
#include "shared_rows.hpp"

namespace flowstone::columns {

class PairTable {
 public:
  PairTable(Memory& memory, uint32_t max_flows);

  void fill(const FlowTable& flows, MessageColumns& columns);

  uint32_t count() const { return rows_.count(); }

 private:
  SharedRows rows_;
  uint32_t* flow_of_pair_;  // the first that has it
};

}  // namespace flowstone::columns
