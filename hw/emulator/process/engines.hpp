// SPDX-License-Identifier: Apache-2.0
// Which engines this program has: flowstone-card-rtl is linked with one more.
#pragma once

#include <string>

#include "../device/card.hpp"

namespace flowstone::card {

/** Throws std::invalid_argument: there is none of that name here, or it cannot commit these faults. */
MakeEngine engine_named(const std::string& name, const std::vector<FaultSpec>& faults);

}  // namespace flowstone::card
