// SPDX-License-Identifier: Apache-2.0
// The engine of the kernels' own SystemVerilog, as Verilator made C++ of it: two ht_tap and one ht_ring, of
// a card without a cable two ht_pcapsrc, cycle by cycle. A cycle takes a thousand times longer than on the card, so
// - while nothing is under way the clock mostly stands still, and a core is free;
// - the time, which the kernels count by cycles, is set on now and then to what it would be by the machine's clock;
// - ticks come each three-hundredth of the cycles that the host asked for, so that a quiet ring hears of the time each second.
#pragma once

#include <memory>

#include "../device/card.hpp"
#include "../device/clock.hpp"
#include "../device/engine.hpp"
#include "ring_core.hpp"
#include "source_core.hpp"
#include "tap_core.hpp"

namespace flowstone::card {

class RtlEngine : public Engine {
 public:
  explicit RtlEngine(const EngineParts& parts);

  uint32_t read(uint32_t kernel, uint32_t offset_bytes) override;
  void write(uint32_t kernel, uint32_t offset_bytes, uint32_t value) override;
  uint64_t work() override;
  uint64_t received_packets(uint32_t port) const override;

 private:
  struct Port {
    std::unique_ptr<TapCore> core = std::make_unique<TapCore>();
    CardClock clock;
    uint32_t time_set_high = 0;
    uint32_t tick_cycles = kDefaultTickCycles;
    bool is_clocked = false;  // since its first start: a port that nobody uses costs nothing
    bool runs = false;        // from its start to the stop
  };

  /** In place of a cable. */
  struct Source {
    explicit Source(const EngineParts& parts) : core(parts.memory, parts.faults, parts.window.faults) {}

    SourceCore core;
    bool is_clocked = false;  // since its first start
    bool runs = false;        // from its start until somebody has seen that it is idle
  };

  static constexpr int kNone = -1;

  void cycle(int accessed_kernel = kNone);
  template <typename Core>
  uint32_t read_from(Core& core, uint32_t kernel, uint32_t offset_bytes);
  template <typename Core>
  void write_to(Core& core, uint32_t kernel, uint32_t offset_bytes, uint32_t value);
  void note_source_write(Source& source, uint32_t offset_bytes, uint32_t value);
  Source& source(uint32_t kernel) { return *sources_[kernel - source_kernel(0)]; }
  bool has_sources() const { return sources_[0] != nullptr; }
  void write_now(uint32_t kernel, uint32_t offset_bytes, uint32_t value);
  void set_time(uint32_t port, uint64_t time_ns);
  void set_times_on(uint64_t now_ns);
  void write_tap(uint32_t port, uint32_t offset_bytes, uint32_t value);
  void note_ring_write(uint32_t offset_bytes, uint32_t value);

  /** Begins the port's next frame, if there is one and it may come. */
  void begin_frame(uint32_t port, uint64_t now_ns);
  bool may_send(uint32_t port);
  bool is_quiet() const;
  uint64_t next_work_ns(uint64_t now_ns);

  static constexpr uint64_t kSettledCycles = 1500;  // more than a record is under way, flushing included

  Wires& wires_;
  const bool has_capture_time_;
  std::array<Port, kPorts> ports_;
  RingCore rings_;
  std::array<std::unique_ptr<Source>, kPorts> sources_;  // none: there are cables
  uint32_t ring_count_ = 0;
  uint32_t slots_log2_ = FS_CARD_RING_REGISTERS_LEAST_SLOTS_LOG2;
  uint64_t cycle_ = 0;
  uint64_t latest_frame_cycle_ = 0;
  uint64_t sent_frames_ = 0;      // since the rings' start
  uint64_t forgotten_frames_ = 0;  // of these, what had settled without a record, when it was last quiet
  uint64_t time_set_cycle_ = 0;
  uint64_t idle_until_ns_ = 0;  // 0: it is at work
  bool rings_run_ = false;
  bool is_held_ = false;  // the latest frame that wanted to come
};

}  // namespace flowstone::card
