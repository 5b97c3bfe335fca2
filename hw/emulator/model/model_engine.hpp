// SPDX-License-Identifier: Apache-2.0
// The engine of models: two taps and the rings, by batches of frames, at the speed of the parser library.
#pragma once

#include "../device/engine.hpp"
#include "rings_model.hpp"
#include "tap_model.hpp"

namespace flowstone::card {

class ModelEngine : public Engine {
 public:
  ModelEngine(CardWindow& window, DeviceMemory& memory, Wires& wires, const std::vector<FaultSpec>& faults, bool has_capture_time);

  uint32_t read(uint32_t kernel, uint32_t offset_bytes) override;
  void write(uint32_t kernel, uint32_t offset_bytes, uint32_t value) override;
  uint64_t work() override;
  uint64_t received_packets() const override;

 private:
  uint64_t work(uint32_t port, uint64_t now_ns);

  CardWindow& window_;
  Wires& wires_;
  std::array<TapModel, kPorts> taps_;
  RingsModel rings_;
};

}  // namespace flowstone::card
