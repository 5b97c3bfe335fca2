// SPDX-License-Identifier: Apache-2.0
#include "rtl_engine.hpp"

#include <algorithm>

namespace flowstone::card {
namespace {

#define TAP(field) static_cast<uint32_t>(offsetof(fs_card_tap_registers, field))
#define RINGS(field) static_cast<uint32_t>(offsetof(fs_card_ring_registers, field))

constexpr int kResetCycles = 100, kAfterResetCycles = 20, kStartCycles = 40, kTimeSetCycles = 4;
constexpr uint64_t kSliceNs = 200'000;      // so long a program that asks for a register waits at most
constexpr uint64_t kRetryNs = 200'000;      // to look whether a full ring has room again
constexpr uint64_t kIdleNs = 50'000'000;    // so often the clock ticks while nothing comes
constexpr uint64_t kIdleCycles = 1200;      // then so much of it
constexpr uint64_t kCyclesBetweenLooks = 64;
constexpr uint64_t kTimeCycles = 16'384;    // so often the time is set on
constexpr uint32_t kTickDivisor = 300;
constexpr uint64_t kSlotsBehindPackets = 16;  // for what control records a ring may want, and those that stay free

}  // namespace

RtlEngine::RtlEngine(const EngineParts& parts)
    : wires_(parts.wires), has_capture_time_(parts.has_capture_time), rings_(parts.memory) {
  parts.window.engine_answers = 1;
  for (Port& port : ports_) port.is_clocked = true;
  for (std::unique_ptr<Source>& source : sources_) {
    if (!parts.design.has_sources()) continue;
    source = std::make_unique<Source>(parts);
    source->is_clocked = true;
  }
  for (int i = 0; i < kResetCycles; i++) cycle();
  for (Port& port : ports_) port.core->end_reset();
  for (std::unique_ptr<Source>& source : sources_) {
    if (source != nullptr) source->core.end_reset();
  }
  rings_.end_reset();
  for (int i = 0; i < kAfterResetCycles; i++) cycle();
  for (uint32_t port = 0; port < kPorts; port++) {
    write_now(port, TAP(tick_cycles), kDefaultTickCycles / kTickDivisor);
    ports_[port].is_clocked = false;
    if (has_sources()) sources_[port]->is_clocked = false;
  }
}

/** One clock cycle of the rings and of all cores that are in use; of another one too, while its registers are accessed. */
void RtlEngine::cycle(int accessed_kernel) {
  const auto is_accessed = [&](uint32_t kernel) { return accessed_kernel == static_cast<int>(kernel); };
  std::array<TapCore*, kPorts> taps{};
  std::array<SourceCore*, kPorts> sources{};
  for (uint32_t port = 0; port < kPorts; port++) {
    if (has_sources() && (sources_[port]->is_clocked || is_accessed(source_kernel(port)))) sources[port] = &sources_[port]->core;
    if (!ports_[port].is_clocked && !is_accessed(port)) continue;
    taps[port] = ports_[port].core.get();
    if (sources[port] == nullptr) {
      taps[port]->drive(rings_.is_ready(port));
    } else {
      taps[port]->drive(rings_.is_ready(port), sources[port]->top());
      if (sources[port]->top().frames_tvalid) latest_frame_cycle_ = cycle_;
    }
    rings_.connect(port, taps[port]->top());
  }
  const auto each = [&](auto step) {
    for (SourceCore* source : sources) {
      if (source != nullptr) step(*source);
    }
    for (TapCore* tap : taps) {
      if (tap != nullptr) step(*tap);
    }
    step(rings_);
  };
  each([](auto& core) { core.fall(); });
  each([](auto& core) { core.rise(); });
  cycle_++;
}

// ---- Registers ----

template <typename Core>
uint32_t RtlEngine::read_from(Core& core, uint32_t kernel, uint32_t offset_bytes) {
  core.registers().begin_read(offset_bytes);
  while (core.registers().is_busy()) cycle(static_cast<int>(kernel));
  return core.registers().data();
}

template <typename Core>
void RtlEngine::write_to(Core& core, uint32_t kernel, uint32_t offset_bytes, uint32_t value) {
  core.registers().begin_write(offset_bytes, value);
  while (core.registers().is_busy()) cycle(static_cast<int>(kernel));
}

uint32_t RtlEngine::read(uint32_t kernel, uint32_t offset_bytes) {
  if (kernel == kRingKernel) return read_from(rings_, kernel, offset_bytes);
  if (is_source(kernel)) {
    const uint32_t value = read_from(source(kernel).core, kernel, offset_bytes);
    if (offset_bytes == kControlOffset && (value & kIdle) != 0) source(kernel).runs = false;
    return value;
  }
  if (offset_bytes == TAP(tick_cycles)) return ports_[kernel].tick_cycles;
  return read_from(*ports_[kernel].core, kernel, offset_bytes);
}

void RtlEngine::write_now(uint32_t kernel, uint32_t offset_bytes, uint32_t value) {
  if (kernel == kRingKernel) {
    write_to(rings_, kernel, offset_bytes, value);
  } else if (is_source(kernel)) {
    write_to(source(kernel).core, kernel, offset_bytes, value);
  } else {
    write_to(*ports_[kernel].core, kernel, offset_bytes, value);
  }
}

void RtlEngine::write(uint32_t kernel, uint32_t offset_bytes, uint32_t value) {
  latest_frame_cycle_ = cycle_;  // whatever it does, it takes cycles
  idle_until_ns_ = 0;
  if (kernel == kRingKernel) {
    note_ring_write(offset_bytes, value);
    write_now(kernel, offset_bytes, value);
  } else if (is_source(kernel)) {
    note_source_write(source(kernel), offset_bytes, value);
    write_now(kernel, offset_bytes, value);
  } else {
    write_tap(kernel, offset_bytes, value);
  }
  // A start is answered before the kernel has begun; a frame that came at once would be before it.
  for (int i = 0; offset_bytes == kControlOffset && i < kStartCycles; i++) cycle();
}

/** What of the rings' registers the wires have to know. */
void RtlEngine::note_ring_write(uint32_t offset_bytes, uint32_t value) {
  if (offset_bytes == kStopOffset && (value & 1) != 0) rings_run_ = false;
  if (rings_run_) return;
  if (offset_bytes == RINGS(slots_log2)) {
    slots_log2_ = std::clamp(value, FS_CARD_RING_REGISTERS_LEAST_SLOTS_LOG2, FS_CARD_RING_REGISTERS_MOST_SLOTS_LOG2);
  }
  if (offset_bytes == RINGS(ring_count)) ring_count_ = std::min(value, kRings);
  if (offset_bytes == kControlOffset && (value & kStart) != 0) {
    rings_run_ = true;
    rings_.begin();
    sent_frames_ = 0;
    forgotten_frames_ = 0;
  }
}

/** A source that has begun is at work until somebody sees that it is idle; meanwhile the clock does not stand still. */
void RtlEngine::note_source_write(Source& source, uint32_t offset_bytes, uint32_t value) {
  if (offset_bytes == kControlOffset && (value & kStart) != 0) source.is_clocked = source.runs = true;
}

void RtlEngine::write_tap(uint32_t port, uint32_t offset_bytes, uint32_t value) {
  Port& tap = ports_[port];
  const uint64_t now_ns = monotonic_ns();
  switch (offset_bytes) {
    case TAP(time_set_high):
      tap.time_set_high = value;
      return;
    case TAP(time_set_low):
      if (has_capture_time_) return;
      tap.clock.set(uint64_t{tap.time_set_high} << 32 | value, now_ns);
      set_time(port, tap.clock.at(now_ns));
      return;
    case TAP(time_increment):
      tap.clock.set_increment(value, now_ns);
      break;
    case TAP(tick_cycles):
      tap.tick_cycles = value;
      value = std::max(1u, value / kTickDivisor);
      break;
    case kStopOffset:
      if ((value & 1) != 0) tap.runs = false;
      break;
    case kControlOffset:
      if ((value & kStart) != 0 && !tap.runs) {
        tap.runs = tap.is_clocked = true;
        wires_[port].resume(now_ns);
      }
      break;
    default:
      break;
  }
  write_now(port, offset_bytes, value);
}

// ---- Time ----

void RtlEngine::set_time(uint32_t port, uint64_t time_ns) {
  write_now(port, TAP(time_set_high), static_cast<uint32_t>(time_ns >> 32));
  write_now(port, TAP(time_set_low), static_cast<uint32_t>(time_ns));
  for (int i = 0; i < kTimeSetCycles; i++) cycle(static_cast<int>(port));  // until a frame that begins would have it
}

/** By cycles the time is far behind the machine's clock always, so this never sets it back. */
void RtlEngine::set_times_on(uint64_t now_ns) {
  time_set_cycle_ = cycle_;
  if (has_capture_time_) return;
  for (uint32_t port = 0; port < kPorts; port++) {
    if (ports_[port].runs) set_time(port, ports_[port].clock.at(now_ns));
  }
}

// ---- Frames ----

void RtlEngine::begin_frame(uint32_t port, uint64_t now_ns) {
  if (!ports_[port].runs || ports_[port].core->is_sending()) return;
  const Arrived arrived = wires_[port].arrived(now_ns);
  if (arrived.count == 0 || !may_send(port)) return;
  if (has_capture_time_) set_time(port, arrived.packets[0].time_ns);
  ports_[port].core->send(arrived.base + arrived.packets[0].data_offset, arrived.packets[0]);
  wires_[port].take(1);
  sent_frames_++;
  latest_frame_cycle_ = cycle_;
}

/** A wire that waits sends nothing that could find a ring full, whichever ring it is for. */
bool RtlEngine::may_send(uint32_t port) {
  is_held_ = false;
  if (!wires_[port].waits() || !rings_run_) return true;
  const uint64_t under_way = sent_frames_ - forgotten_frames_ - rings_.written_packets();
  for (uint32_t ring = 0; ring < ring_count_; ring++) {
    if (rings_.free_slots(ring, slots_log2_) <= under_way + kSlotsBehindPackets) is_held_ = true;
  }
  return !is_held_;
}

uint64_t RtlEngine::received_packets(uint32_t port) const {
  return has_sources() ? sources_[port]->core.sent_packets() : wires_[port].taken_packets();
}

// ---- Work ----

bool RtlEngine::is_quiet() const {
  for (const std::unique_ptr<Source>& source : sources_) {
    if (source != nullptr && source->runs) return false;
  }
  return cycle_ - latest_frame_cycle_ > kSettledCycles;
}

uint64_t RtlEngine::work() {
  uint64_t now_ns = monotonic_ns();
  if (now_ns < idle_until_ns_) return idle_until_ns_;
  const uint64_t end_ns = now_ns + kSliceNs;
  const bool was_idle = idle_until_ns_ != 0;
  const uint64_t least_cycle = cycle_ + (was_idle ? kIdleCycles : kCyclesBetweenLooks);
  if (was_idle || cycle_ - time_set_cycle_ >= kTimeCycles) set_times_on(now_ns);
  do {
    for (uint64_t i = 0; i < kCyclesBetweenLooks; i++) {
      for (uint32_t port = 0; port < kPorts; port++) begin_frame(port, now_ns);
      cycle();
    }
    now_ns = monotonic_ns();
  } while (now_ns < end_ns && (cycle_ < least_cycle || !is_quiet()));
  idle_until_ns_ = is_quiet() ? next_work_ns(now_ns) : 0;
  return idle_until_ns_;
}

/** Nothing is under way: what has no record by now will have none. */
uint64_t RtlEngine::next_work_ns(uint64_t now_ns) {
  forgotten_frames_ = sent_frames_ - std::min(sent_frames_, rings_.written_packets());
  uint64_t next_ns = UINT64_MAX;
  for (uint32_t port = 0; port < kPorts; port++) {
    if (!ports_[port].runs) continue;
    const bool has_frames = wires_[port].arrived(now_ns).count > 0;
    next_ns = std::min({next_ns, now_ns + kIdleNs, has_frames ? now_ns + (is_held_ ? kRetryNs : 0) : wires_[port].next_ns()});
  }
  return next_ns;
}

}  // namespace flowstone::card
