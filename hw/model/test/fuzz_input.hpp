// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace flowstone::test {

inline constexpr size_t kFuzzPrefixBytes = 7;  // link type 2, flags 1, wire bytes beyond captured 4

}  // namespace flowstone::test
