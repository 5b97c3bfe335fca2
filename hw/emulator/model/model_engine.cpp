// SPDX-License-Identifier: Apache-2.0
#include "model_engine.hpp"

#include <algorithm>

namespace flowstone::card {
namespace {

constexpr uint64_t kRetryNs = 100'000;  // to look whether a full ring has room again

}  // namespace

ModelEngine::ModelEngine(CardWindow& window, DeviceMemory& memory, Wires& wires, const std::vector<FaultSpec>& faults,
                         bool has_capture_time)
    : window_(window),
      wires_(wires),
      taps_{TapModel(registers_of(window, 0), has_capture_time), TapModel(registers_of(window, 1), has_capture_time)},
      rings_(registers_of(window, kRingKernel), memory, faults, window.faults) {}

uint32_t ModelEngine::read(uint32_t kernel, uint32_t offset_bytes) {
  RegisterFile registers = registers_of(window_, kernel);
  if (kernel < kPorts && offset_bytes == offsetof(fs_card_tap_registers, time_ns)) {
    registers.set64(offset_bytes, taps_[kernel].time_ns(monotonic_ns()));
  }
  return registers.read(offset_bytes);
}

void ModelEngine::write(uint32_t kernel, uint32_t offset_bytes, uint32_t value) {
  if (kernel == kRingKernel) {
    rings_.write(offset_bytes, value);
    return;
  }
  const bool ran = taps_[kernel].runs();
  taps_[kernel].write(offset_bytes, value);
  if (!ran && taps_[kernel].runs()) wires_[kernel].resume(monotonic_ns());
}

uint64_t ModelEngine::work() {
  const uint64_t now_ns = monotonic_ns();
  uint64_t next_ns = rings_.repair(now_ns);
  for (uint32_t port = 0; port < kPorts; port++) {
    if (taps_[port].runs()) next_ns = std::min(next_ns, work(port, now_ns));
  }
  rings_.publish();
  return next_ns;
}

uint64_t ModelEngine::work(uint32_t port, uint64_t now_ns) {
  TapModel& tap = taps_[port];
  Wire& wire = wires_[port];
  uint64_t next_ns = now_ns + kRetryNs;
  if (!wire.waits() || !rings_.waits_for_room()) {
    const Arrived arrived = wire.arrived(now_ns);
    next_ns = 0;
    if (arrived.count > 0) {
      tap.saw_frames(now_ns);
      const Parsed parsed = tap.parse(arrived, now_ns);
      const uint32_t dealt_with = rings_.take(port, tap, parsed, wire.waits());
      wire.take(tap.received(arrived, dealt_with));
    } else {
      next_ns = wire.next_ns();
    }
  } else {
    tap.saw_frames(now_ns);
  }
  if (tap.is_tick_due(now_ns)) {
    const uint64_t time_ns = tap.tick_time_ns(now_ns, wire.is_over());
    if (time_ns != 0) rings_.tick(port, time_ns);
  }
  return std::min(next_ns, tap.next_tick_ns());
}

uint64_t ModelEngine::received_packets() const { return wires_[0].taken_packets() + wires_[1].taken_packets(); }

}  // namespace flowstone::card
