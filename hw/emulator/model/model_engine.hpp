// SPDX-License-Identifier: Apache-2.0
// The engine of models: two taps, the rings, and of a card without a cable two sources, by batches of frames, at the speed of the parser library.
#pragma once

#include "../device/engine.hpp"
#include "rings_model.hpp"
#include "source_model.hpp"
#include "tap_model.hpp"

namespace flowstone::card {

class ModelEngine : public Engine {
 public:
  ModelEngine(CardWindow& window, DeviceMemory& memory, Wires& wires, const std::vector<FaultSpec>& faults, bool has_capture_time,
              const Design& design = kCabled);

  uint32_t read(uint32_t kernel, uint32_t offset_bytes) override;
  void write(uint32_t kernel, uint32_t offset_bytes, uint32_t value) override;
  uint64_t work() override;
  uint64_t received_packets(uint32_t port) const override;

 private:
  uint64_t work(uint32_t port, uint64_t now_ns);
  uint64_t take_from_wire(uint32_t port, uint64_t now_ns);
  uint64_t take_from_source(uint32_t port, uint64_t now_ns);

  CardWindow& window_;
  Wires& wires_;
  std::array<TapModel, kPorts> taps_;
  RingsModel rings_;
  std::vector<SourceModel> sources_;  // none: there are cables
};

}  // namespace flowstone::card
