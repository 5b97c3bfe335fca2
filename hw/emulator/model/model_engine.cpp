// SPDX-License-Identifier: Apache-2.0
#include "model_engine.hpp"

#include <algorithm>

namespace flowstone::card {
namespace {

constexpr uint64_t kRetryNs = 100'000;  // to look whether a full ring has room again

}  // namespace

ModelEngine::ModelEngine(CardWindow& window, DeviceMemory& memory, Wires& wires, const std::vector<FaultSpec>& faults,
                         bool has_capture_time, const Design& design)
    : window_(window),
      wires_(wires),
      taps_{TapModel(registers_of(window, 0), has_capture_time), TapModel(registers_of(window, 1), has_capture_time)},
      rings_(registers_of(window, kRingKernel), memory, faults, window.faults) {
  for (uint32_t port = 0; design.has_sources() && port < kPorts; port++) {
    sources_.emplace_back(registers_of(window, source_kernel(port)), memory, faults, window.faults);
  }
}

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
  if (is_source(kernel)) {
    sources_[kernel - source_kernel(0)].write(offset_bytes, value);
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
    const bool sends = !sources_.empty() && sources_[port].runs();
    if (taps_[port].runs() || sends) next_ns = std::min(next_ns, work(port, now_ns));
  }
  rings_.publish();
  return next_ns;
}

uint64_t ModelEngine::work(uint32_t port, uint64_t now_ns) {
  TapModel& tap = taps_[port];
  const uint64_t next_ns = sources_.empty() ? take_from_wire(port, now_ns) : take_from_source(port, now_ns);
  if (tap.is_tick_due(now_ns)) {
    const uint64_t time_ns = tap.tick_time_ns(now_ns, wires_[port].is_over());
    if (time_ns != 0) rings_.tick(port, time_ns);
  }
  return std::min(next_ns, tap.next_tick_ns());
}

uint64_t ModelEngine::take_from_wire(uint32_t port, uint64_t now_ns) {
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
  return next_ns;
}

/** A source waits for nobody: what comes to a tap that does not run is gone, and what finds a ring full is dropped there. */
uint64_t ModelEngine::take_from_source(uint32_t port, uint64_t now_ns) {
  TapModel& tap = taps_[port];
  SourceModel& source = sources_[port];
  const Arrived arrived = source.arrived(now_ns);
  if (arrived.count > 0 && tap.runs()) {
    tap.saw_frames(now_ns);
    const Parsed parsed = tap.parse(arrived, now_ns);
    tap.received(arrived, rings_.take(port, tap, parsed, false));
  }
  if (source.sent(arrived.count) && tap.runs()) tap.received_damaged();
  return source.next_ns();
}

uint64_t ModelEngine::received_packets(uint32_t port) const {
  return sources_.empty() ? wires_[port].taken_packets() : sources_[port].sent_packets();
}

}  // namespace flowstone::card
