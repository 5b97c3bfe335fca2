// SPDX-License-Identifier: Apache-2.0
// What makes records of frames: the parser library with models of the kernels around it, or the kernels' RTL. Belongs to one thread.
#pragma once

#include <array>
#include <cstdint>

#include "../feed/wire.hpp"
#include "faults.hpp"
#include "memory.hpp"
#include "window.hpp"

namespace flowstone::card {

using Wires = std::array<Wire, kPorts>;

class Engine {
 public:
  virtual ~Engine() = default;

  // ---- Registers, as on the bus ----
  virtual uint32_t read(uint32_t kernel, uint32_t offset_bytes) = 0;
  virtual void write(uint32_t kernel, uint32_t offset_bytes, uint32_t value) = 0;

  /** Does a piece of what is due, a fraction of a millisecond of it, and says when there will be more: CLOCK_MONOTONIC, 0 for at
   *  once, UINT64_MAX for not before a register is written. */
  virtual uint64_t work() = 0;

  /** Frames that have come to a port since the card was made. */
  virtual uint64_t received_packets(uint32_t port) const = 0;
};

}  // namespace flowstone::card
