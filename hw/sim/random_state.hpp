// SPDX-License-Identifier: Apache-2.0
// The simulation context of a bench. State that neither reset nor a start sets is random, the same for the same seed.
#pragma once

#include <cstdint>

#include "verilated.h"

namespace flowstone::sim {

class RandomState {
 public:
  explicit RandomState(uint64_t seed) {
    constexpr int kRandom = 2;
    context_.randReset(kRandom);
    context_.randSeed(static_cast<int>(seed));
  }

  VerilatedContext* get() { return &context_; }

 private:
  VerilatedContext context_;
};

}  // namespace flowstone::sim
