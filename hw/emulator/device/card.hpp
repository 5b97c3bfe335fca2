// SPDX-License-Identifier: Apache-2.0
// The card: memory, registers, an engine with a thread of its own, and the scheduler that starts kernels and notices when they have
// ended, as XRT's driver does. Knows nothing of processes and sockets.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "engine.hpp"
#include "mailbox.hpp"

namespace flowstone::card {

struct RegisterValue {
  uint32_t offset_bytes;
  uint32_t value;
};

/** What an engine is made of. */
struct EngineParts {
  const Design& design;
  CardWindow& window;
  DeviceMemory& memory;
  Wires& wires;
  const std::vector<FaultSpec>& faults;
  bool has_capture_time;
};
using MakeEngine = std::function<std::unique_ptr<Engine>(const EngineParts&)>;

class Card {
 public:
  Card(Wires wires, std::vector<FaultSpec> faults, bool has_capture_time, const MakeEngine& make_engine,
       const Design& design = kCabled);

  /** Ends the engine's thread. */
  ~Card();
  Card(const Card&) = delete;
  Card& operator=(const Card&) = delete;

  // ---- For one thread: the server's ----
  DeviceMemory& memory() { return memory_; }
  CardWindow& window() { return *reinterpret_cast<CardWindow*>(window_memory_.address()); }
  const Design& design() const { return design_; }
  int window_descriptor() const { return window_memory_.descriptor(); }

  /** False: the engine is gone. */
  bool read(uint32_t kernel, uint32_t offset_bytes, uint32_t& value);
  bool write(uint32_t kernel, uint32_t offset_bytes, uint32_t value);

  /** Writes arguments and starts. False: the kernel runs already, or will. */
  bool start(uint32_t kernel, const std::vector<RegisterValue>& arguments);

  struct PortState {
    uint64_t received_packets;
    uint64_t skipped_packets;
    bool is_over;
  };
  /** As of the engine's latest look. */
  PortState port(uint32_t port) const;

  /** The configuration has the card die, and the moment has come. */
  bool is_dead() const { return is_dead_; }

  /** CPU time of the engine's thread. */
  uint64_t engine_cpu_ns() const;

 private:
  struct Published {
    std::atomic<uint64_t> received_packets{0};
    std::atomic<uint64_t> skipped_packets{0};
    std::atomic<bool> is_over{false};
  };
  struct CardFault {
    FaultKind kind;
    FaultTrigger trigger;
  };
  struct LateStart {
    uint64_t delay_ns;
    FaultTrigger trigger;
  };

  void set_up_faults();
  void run();
  uint64_t delay_of_start_ns();
  void begin(uint32_t kernel);
  uint64_t begin_late_ones();
  void commit_faults();
  void watch_runs();
  void show_ports();

  const Design& design_;
  SharedMemory window_memory_;
  DeviceMemory memory_;
  Wires wires_;
  std::vector<FaultSpec> faults_;
  std::vector<CardFault> card_faults_;
  std::vector<LateStart> late_starts_;
  std::unique_ptr<Engine> engine_;
  Mailbox mailbox_;
  std::array<bool, kKernels> is_scheduled_{};
  std::array<uint64_t, kKernels> begins_ns_{};  // of a start that is late; 0: none is
  uint64_t starts_ = 0;
  bool is_hung_ = false;
  std::atomic<bool> is_dead_{false};
  std::atomic<bool> ends_{false};
  std::array<Published, kPorts> ports_;
  std::thread thread_;
};

}  // namespace flowstone::card
