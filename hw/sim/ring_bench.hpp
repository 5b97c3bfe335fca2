// SPDX-License-Identifier: Apache-2.0
// ht_ring, clocked, with a tap's stream at each port (ring_streams.hpp), a memory behind each ring (ring_memories.hpp), a host at the
// registers (ring_register_port.hpp), and references that follow all of it (ring_references.hpp).
#pragma once

#include <cstddef>
#include <functional>

#include "Vring_bench.h"
#include "random_state.hpp"
#include "ring_memories.hpp"
#include "ring_references.hpp"
#include "ring_register_port.hpp"
#include "ring_registers.hpp"
#include "ring_streams.hpp"
#include "test_main.hpp"
#include "verilated.h"

namespace flowstone::sim {

struct Setup {
  uint64_t seed = 1;
  uint32_t slots_log2 = FS_CARD_RING_REGISTERS_LEAST_SLOTS_LOG2;
  uint32_t ring_count = kRings;
  uint32_t flush_cycles = 64;
  MemoryBehaviour memory;
};

class Bench {
 public:
  explicit Bench(const Setup& setup)
      : setup_(setup),
        random_(setup.seed),
        state_(setup.seed),
        top_(state_.get()),
        memories_(setup.slots_log2, setup.seed, setup.memory),
        port_(top_, random_),
        streams_(top_),
        references_(top_, memories_, streams_.sent(), setup.ring_count, setup.slots_log2) {
    top_.reset_n = 0;
    run(8);
    top_.reset_n = 1;
    tick();
  }

  ~Bench() { top_.final(); }

  // ---- What a test sets ----
  /** Asked each cycle in which a port has nothing to send; false: not now. */
  std::array<Source, 2> source;
  /** The host's turn, each time its register port is free. Starts one access at most. */
  std::function<void()> host;

  // ---- What a test sees ----
  uint64_t cycle() const { return cycle_; }
  Random& random() { return random_; }
  const Setup& setup() const { return setup_; }
  uint64_t base(uint32_t ring) const { return RingMemories::base(ring); }
  RingMemory& memory(uint32_t ring) { return memories_[ring]; }
  const RingReference& reference(uint32_t ring) const { return references_.reference(ring); }
  const RingReader& reader(uint32_t ring) const { return references_.reader(ring); }
  uint64_t head(uint32_t ring) const { return references_.head(ring); }
  uint64_t stalls(uint32_t port) const { return streams_.stalls(port); }
  uint64_t sent(uint32_t port) const { return streams_.sent()[port].size(); }
  uint64_t taken(uint32_t port) const { return references_.taken()[port]; }
  uint64_t misdirected() const { return references_.misdirected(); }
  uint64_t discarded() const { return streams_.discarded(); }
  uint64_t released(uint32_t ring) const { return references_.released(ring); }
  bool is_sending(uint32_t port) const { return streams_.is_offered(port); }
  /** Everything that was sent has become slots that the host can see, or losses. */
  bool is_quiet() const {
    for (uint32_t port = 0; port < 2; port++) {
      if (is_sending(port) || taken(port) != sent(port)) {
        return false;
      }
    }
    return references_.is_quiet();
  }

  // ---- Registers ----
  bool register_port_is_free() const { return port_.is_free(); }
  void begin_write(uint32_t address, uint32_t data, std::function<void()> then = {}) {
    port_.begin_write(address, data, std::move(then));
  }
  void begin_read(uint32_t address, std::function<void(uint32_t)> then) { port_.begin_read(address, std::move(then)); }

  void write(uint32_t address, uint32_t data) {
    bool is_done = false;
    wait_for_port();
    begin_write(address, data, [&] { is_done = true; });
    run_until([&] { return is_done; }, 10000);
  }
  uint32_t read(uint32_t address) {
    bool is_done = false;
    uint32_t value = 0;
    wait_for_port();
    begin_read(address, [&](uint32_t data) {
      value = data;
      is_done = true;
    });
    run_until([&] { return is_done; }, 10000);
    return value;
  }
  uint64_t read_counter(uint32_t address) {
    const uint64_t low = read(address);
    return low | uint64_t{read(address + 4)} << 32;
  }

  // ---- Time ----
  void run(uint64_t cycles) {
    for (uint64_t i = 0; i < cycles; i++) {
      tick();
    }
  }
  void run_until(const std::function<bool()>& condition, uint64_t most_cycles = 200000) {
    for (uint64_t i = 0; !condition(); i++) {
      if (i == most_cycles) {
        CHECK(!"waited in vain");
        throw Hopeless{"waited in vain"};
      }
      tick();
    }
  }

  // ---- What every test does ----
  /** Arguments, as the host sets them before a start. */
  void configure() {
    for (uint32_t ring = 0; ring < kRings; ring++) {
      const uint32_t address = KERNEL_REGISTER(base_addresses) + 8 * ring;
      write(address, static_cast<uint32_t>(base(ring)));
      write(address + 4, static_cast<uint32_t>(base(ring) >> 32));
    }
    write(KERNEL_REGISTER(slots_log2), setup_.slots_log2);
    write(KERNEL_REGISTER(ring_count), setup_.ring_count);
    write(KERNEL_REGISTER(flush_cycles), setup_.flush_cycles);
  }
  void start() {
    streams_.begin();
    references_.begin();
    memories_.begin();
    write(KERNEL_REGISTER(control), kStart);
    run_until([&] { return top_.probe_open != 0; }, 100);
  }
  void stop() { write(KERNEL_REGISTER(stop), 1); }
  bool is_done() { return (read(KERNEL_REGISTER(control)) & kDone) != 0; }
  void wait_done(uint64_t most_cycles = 400000) {
    const uint64_t end = cycle_ + most_cycles;
    while (!is_done()) {
      if (cycle_ > end) {
        CHECK(!"the kernel does not end");
        throw Hopeless{"the kernel does not end"};
      }
      run(50);
    }
  }
  void drain(uint64_t most_cycles = 400000) {
    source = {};
    run_until([&] { return is_quiet(); }, most_cycles);
  }

  /** Stops the kernel, once the taps are silent, and accounts for everything. */
  void finish() {
    source = {};
    run_until([&] { return !is_sending(0) && !is_sending(1); });
    stop();
    wait_done();
    check_end();
  }

  void check_end() {
    host = {};
    run_until([&] { return port_.is_free(); });
    run(10);
    for (uint32_t ring = 0; ring < kRings; ring++) {
      RingReference& reference = references_.reference(ring);
      CHECK_EQUAL(ring < setup_.ring_count, reference.is_over());
      CHECK_EQUAL(false, reference.has_item());
      if (ring < setup_.ring_count && memories_[ring].first_refused_slot() == UINT64_MAX) {
        CHECK_EQUAL(reference.position(), head(ring));
        CHECK_EQUAL(false, reference.has_expected());
        references_.reader(ring).end(references_.taken());
      }
      CHECK(memories_[ring].is_idle());
      check_counters(ring);
      // What nobody will ever be told is nothing: control records in mid-stream leave room for the last ones.
      CHECK_EQUAL(reference.counters().dropped_packets, reference.counters().lost_recorded);
    }
    CHECK_EQUAL(misdirected(), read_counter(KERNEL_REGISTER(misdirected_packets)));
    CHECK_EQUAL(discarded(), read_counter(KERNEL_REGISTER(discarded_packets)));
    const uint32_t control = read(KERNEL_REGISTER(control));
    CHECK_EQUAL(kIdle, control);
  }

  void check_counters(uint32_t ring) {
    const Counters& expected = reference(ring).counters();
    CHECK_EQUAL(expected.offered_packets, read_counter(RING_REGISTER(ring, offered_packets)));
    CHECK_EQUAL(expected.written_packets, read_counter(RING_REGISTER(ring, written_packets)));
    CHECK_EQUAL(expected.dropped_packets, read_counter(RING_REGISTER(ring, dropped_packets)));
    CHECK_EQUAL(expected.lost_recorded, read_counter(RING_REGISTER(ring, lost_recorded)));
    CHECK_EQUAL(expected.offered_bytes, read_counter(RING_REGISTER(ring, offered_bytes)));
    CHECK_EQUAL(head(ring), read_counter(RING_REGISTER(ring, head)));
    CHECK_EQUAL(reference(ring).is_full(), read(RING_REGISTER(ring, status)) & kFull);
    CHECK_EQUAL(static_cast<uint32_t>(released(ring)), read(RING_REGISTER(ring, credit)));
  }

  /** A clock cycle. */
  void tick() {
    if (test::failures() >= kMostFailures) {
      throw Hopeless{"too many failures"};
    }
    streams_.offer(source);
    port_.drive();
    top_.clock = 0;
    top_.eval();
    if (top_.reset_n) {
      streams_.sample();
      references_.sample(cycle_);
    }
    memories_.sample(top_);
    port_.sample();
    top_.clock = 1;
    top_.eval();
    cycle_++;
    port_.settle();
    memories_.settle(top_, cycle_);
    references_.follow_heads(cycle_);
    if (host && port_.is_free() && !is_port_wanted_) {
      host();
    }
  }

 private:
  static constexpr unsigned kMostFailures = 20;

  /** The host's own accesses wait for those of the test. */
  void wait_for_port() {
    is_port_wanted_ = true;
    run_until([&] { return port_.is_free(); }, 10000);
    is_port_wanted_ = false;
  }

  const Setup setup_;
  Random random_;
  RandomState state_;
  Vring_bench top_;
  RingMemories memories_;
  RingRegisterPort port_;
  RingStreams streams_;
  RingReferences references_;
  uint64_t cycle_ = 0;
  bool is_port_wanted_ = false;
};

}  // namespace flowstone::sim
