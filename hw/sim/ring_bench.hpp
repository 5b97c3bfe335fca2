// SPDX-License-Identifier: Apache-2.0
// ht_ring, clocked, with a tap's stream at each port, a memory behind each ring and a host at the registers. Every slot that the
// head shows is read from the memory in that cycle, and held against the reference and by the reader.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>

#include "Vring_bench.h"
#include "ring_memory.hpp"
#include "ring_packet.hpp"
#include "ring_reader.hpp"
#include "ring_reference.hpp"
#include "test_main.hpp"
#include "verilated.h"

namespace flowstone::sim {

constexpr uint32_t kRings = FS_CARD_RING_REGISTERS_MOST_RINGS;

constexpr uint32_t offset_of_ring(uint32_t ring, size_t field) {
  return static_cast<uint32_t>(offsetof(fs_card_ring_registers, rings) + ring * sizeof(fs_card_ring_state) + field);
}
constexpr uint32_t kStart = 1u << FS_CARD_RING_REGISTERS_START_SHIFT;
constexpr uint32_t kDone = 1u << FS_CARD_RING_REGISTERS_DONE_SHIFT;
constexpr uint32_t kIdle = 1u << FS_CARD_RING_REGISTERS_IDLE_SHIFT;
constexpr uint32_t kReady = 1u << FS_CARD_RING_REGISTERS_READY_SHIFT;
constexpr uint32_t kFull = 1u << FS_CARD_RING_STATE_FULL_SHIFT;
constexpr uint32_t kWriteFailed = 1u << FS_CARD_RING_STATE_WRITE_FAILED_SHIFT;
#define RING_REGISTER(ring, field) offset_of_ring(ring, offsetof(fs_card_ring_state, field))
#define KERNEL_REGISTER(field) static_cast<uint32_t>(offsetof(fs_card_ring_registers, field))

struct Setup {
  uint64_t seed = 1;
  uint32_t slots_log2 = FS_CARD_RING_REGISTERS_LEAST_SLOTS_LOG2;
  uint32_t ring_count = kRings;
  uint32_t flush_cycles = 64;
  MemoryBehaviour memory;
};

class Bench {
 public:
  explicit Bench(const Setup& setup) : setup_(setup), random_(setup.seed) {
    context_.randSeed(static_cast<int>(setup.seed));
    context_.randReset(2);  // what reset does not set may be anything
    top_ = std::make_unique<Vring_bench>(&context_);
    for (uint32_t ring = 0; ring < kRings; ring++) {
      // Multiples of 4096 and of nothing larger, far from each other.
      bases_[ring] = (uint64_t{ring} + 5) << 32 | (uint64_t{2 * ring + 1} << 12);
      memories_.emplace_back(bases_[ring], setup.slots_log2, setup.seed * 31 + ring);
      memories_.back().behaviour = setup.memory;
    }
    forget();
    top_->reset_n = 0;
    top_->control_awvalid = 0;
    top_->control_wvalid = 0;
    top_->control_arvalid = 0;
    top_->control_bready = 1;
    top_->control_rready = 1;
    top_->control_wstrb = 15;
    for (int i = 0; i < 8; i++) {
      tick();
    }
    top_->reset_n = 1;
    tick();
  }

  ~Bench() { top_->final(); }

  // ---- What a test sets ----
  /** Asked each cycle in which a port has nothing to send; false: not now. */
  std::array<std::function<bool(Beat&)>, 2> source;
  /** The host's turn, each time its register port is free. Starts one access at most. */
  std::function<void()> host;

  // ---- What a test sees ----
  uint64_t cycle() const { return cycle_; }
  Random& random() { return random_; }
  const Setup& setup() const { return setup_; }
  uint64_t base(uint32_t ring) const { return bases_[ring]; }
  RingMemory& memory(uint32_t ring) { return memories_[ring]; }
  const RingReference& reference(uint32_t ring) const { return *references_[ring]; }
  const RingReader& reader(uint32_t ring) const { return *readers_[ring]; }
  uint64_t head(uint32_t ring) const { return heads_[ring]; }
  uint64_t stalls(uint32_t port) const { return stalls_[port]; }
  uint64_t sent(uint32_t port) const { return sent_[port].size(); }
  uint64_t taken(uint32_t port) const { return taken_[port]; }
  uint64_t misdirected() const { return misdirected_; }
  uint64_t discarded() const { return discarded_; }
  uint64_t released(uint32_t ring) const { return released_[ring]; }
  bool is_sending(uint32_t port) const { return is_offered_[port]; }
  /** Everything that was sent has become slots that the host can see, or losses. */
  bool is_quiet() const {
    for (uint32_t port = 0; port < 2; port++) {
      if (is_offered_[port] || taken_[port] != sent_[port].size()) {
        return false;
      }
    }
    for (uint32_t ring = 0; ring < setup_.ring_count; ring++) {
      if (references_[ring]->has_item() || heads_[ring] != references_[ring]->position()) {
        return false;
      }
    }
    return true;
  }

  // ---- Registers ----
  bool register_port_is_free() const { return access_ == Access::kNone; }
  void begin_write(uint32_t address, uint32_t data, std::function<void()> then = {}) {
    access_ = Access::kWrite;
    address_taken_ = data_taken_ = false;
    top_->control_awaddr = static_cast<uint16_t>(address);
    top_->control_wdata = data;
    // Address and data may come in either order.
    address_delay_ = static_cast<uint32_t>(random_.below(3));
    data_delay_ = static_cast<uint32_t>(random_.below(3));
    then_written_ = std::move(then);
  }
  void begin_read(uint32_t address, std::function<void(uint32_t)> then) {
    access_ = Access::kRead;
    top_->control_araddr = static_cast<uint16_t>(address);
    top_->control_arvalid = 1;
    then_read_ = std::move(then);
  }

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
      write(address, static_cast<uint32_t>(bases_[ring]));
      write(address + 4, static_cast<uint32_t>(bases_[ring] >> 32));
    }
    write(KERNEL_REGISTER(slots_log2), setup_.slots_log2);
    write(KERNEL_REGISTER(ring_count), setup_.ring_count);
    write(KERNEL_REGISTER(flush_cycles), setup_.flush_cycles);
  }
  void start() {
    forget();
    is_starting_ = true;
    for (RingMemory& memory : memories_) {
      memory.begin();
    }
    write(KERNEL_REGISTER(control), kStart);
    run_until([&] { return top_->probe_open != 0; }, 100);
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
    run_until([&] { return !is_offered_[0] && !is_offered_[1]; });
    stop();
    wait_done();
    check_end();
  }

  void check_end() {
    host = {};
    run_until([&] { return access_ == Access::kNone; });
    run(10);
    for (uint32_t ring = 0; ring < kRings; ring++) {
      RingReference& reference = *references_[ring];
      CHECK_EQUAL(ring < setup_.ring_count, reference.is_over());
      CHECK_EQUAL(false, reference.has_item());
      if (ring < setup_.ring_count && memories_[ring].first_refused_slot() == UINT64_MAX) {
        CHECK_EQUAL(reference.position(), heads_[ring]);
        CHECK_EQUAL(false, reference.has_expected());
        readers_[ring]->end(taken_);
      }
      CHECK(memories_[ring].is_idle());
      check_counters(ring);
      // What nobody will ever be told is nothing: control records in mid-stream leave room for the last ones.
      CHECK_EQUAL(reference.counters().dropped_packets, reference.counters().lost_recorded);
    }
    CHECK_EQUAL(misdirected_, read_counter(KERNEL_REGISTER(misdirected_packets)));
    CHECK_EQUAL(discarded_, read_counter(KERNEL_REGISTER(discarded_packets)));
    const uint32_t control = read(KERNEL_REGISTER(control));
    CHECK_EQUAL(kIdle, control);
  }

  void check_counters(uint32_t ring) {
    const Counters& expected = references_[ring]->counters();
    CHECK_EQUAL(expected.offered_packets, read_counter(RING_REGISTER(ring, offered_packets)));
    CHECK_EQUAL(expected.written_packets, read_counter(RING_REGISTER(ring, written_packets)));
    CHECK_EQUAL(expected.dropped_packets, read_counter(RING_REGISTER(ring, dropped_packets)));
    CHECK_EQUAL(expected.lost_recorded, read_counter(RING_REGISTER(ring, lost_recorded)));
    CHECK_EQUAL(expected.offered_bytes, read_counter(RING_REGISTER(ring, offered_bytes)));
    CHECK_EQUAL(heads_[ring], read_counter(RING_REGISTER(ring, head)));
    CHECK_EQUAL(references_[ring]->is_full(), read(RING_REGISTER(ring, status)) & kFull);
    CHECK_EQUAL(static_cast<uint32_t>(released_[ring]), read(RING_REGISTER(ring, credit)));
  }

  /** A clock cycle. */
  void tick() {
    if (test::failures() >= kMostFailures) {
      throw Hopeless{"too many failures"};
    }
    offer();
    drive_registers();
    top_->clock = 0;
    top_->eval();
    if (top_->reset_n) {
      sample_streams();
      sample_kernel();
    }
    sample_memories();
    sample_registers();
    top_->clock = 1;
    top_->eval();
    context_.timeInc(1);
    cycle_++;
    settle_registers();
    settle_memories();
    follow_heads();
    if (host && access_ == Access::kNone && !is_port_wanted_) {
      host();
    }
  }

 private:
  static constexpr unsigned kMostFailures = 20;
  enum class Access { kNone, kWrite, kRead };

  /** As after a start. */
  void forget() {
    references_.clear();
    readers_.clear();
    for (uint32_t ring = 0; ring < kRings; ring++) {
      references_.push_back(std::make_unique<RingReference>(setup_.slots_log2));
      readers_.push_back(std::make_unique<RingReader>(ring, setup_.slots_log2, sent_));
    }
    sent_ = {};
    taken_ = {};
    heads_ = {};
    released_ = {};
    seen_ = {};
    misdirected_ = 0;
    discarded_ = 0;
    port_ns_ = {};
    port_known_ = {};
  }

  /** The host's own accesses wait for those of the test. */
  void wait_for_port() {
    is_port_wanted_ = true;
    run_until([&] { return access_ == Access::kNone; }, 10000);
    is_port_wanted_ = false;
  }

  void offer() {
    for (uint32_t port = 0; port < 2; port++) {
      if (!is_offered_[port] && source[port] && source[port](offered_[port])) {
        is_offered_[port] = true;
        present(port);
      }
    }
    top_->tvalid = static_cast<uint8_t>(is_offered_[0] | is_offered_[1] << 1);
  }

  void present(uint32_t port) {
    const Beat& beat = offered_[port];
    fs_packet_record record = packet_record(port, static_cast<uint32_t>(sent_[port].size()), beat.time_ns);
    memcpy(top_->tdata.data() + 16 * port, &record, sizeof record);
    const uint64_t user = beat.time_ns >> 32 | uint64_t{beat.is_tick} << 32;
    (port == 0 ? top_->tuser_0 : top_->tuser_1) = user;
    const uint32_t shift = 3 * port;
    top_->tdest = static_cast<uint8_t>((top_->tdest & ~(7u << shift)) | beat.ring << shift);
  }

  void sample_streams() {
    for (uint32_t port = 0; port < 2; port++) {
      if (!is_offered_[port]) {
        continue;
      }
      if ((top_->tready >> port & 1) == 0) {
        stalls_[port]++;
        continue;
      }
      is_offered_[port] = false;
      if (top_->probe_open) {
        sent_[port].push_back(offered_[port]);
      } else {
        discarded_ += !offered_[port].is_tick;
      }
    }
  }

  /** Items in the order in which the kernel took them; then what rings did with theirs. */
  void sample_kernel() {
    if (top_->probe_done != 0) {
      for (uint32_t ring = 0; ring < kRings; ring++) {
        if (top_->probe_done >> ring & 1) {
          if (!references_[ring]->has_item()) {
            std::printf("ring %u, cycle %llu\n", ring, static_cast<unsigned long long>(cycle_));
            CHECK(!"a ring is done with an item that it never got");
            throw Hopeless{"a ring is done with an item that it never got"};
          }
          references_[ring]->deal();
        }
      }
    }
    for (uint32_t ring = 0; ring < kRings; ring++) {
      // A decision sees slots that were given back two cycles before.
      const uint64_t slots = top_->probe_released[ring];
      if ((seen_[ring] | slots) != 0) {
        references_[ring]->release(seen_[ring]);
        seen_[ring] = slots;
        released_[ring] += slots;
      }
    }
    for (uint32_t port = 0; port < 2; port++) {
      if (top_->probe_taken >> port & 1) {
        take(port);
      }
    }
    if (top_->probe_last) {
      arrive_everywhere({Item::kLast, port_known_[0] || port_known_[1], settled_ns(), 0, 0});
    }
  }

  void take(uint32_t port) {
    const uint64_t number = taken_[port]++;
    if (number >= sent_[port].size()) {
      CHECK(!"a record was taken that was never sent");
      throw Hopeless{"a record was taken that was never sent"};
    }
    const Beat& beat = sent_[port][number];
    port_ns_[port] = beat.time_ns;
    port_known_[port] = true;
    if (beat.is_tick) {
      arrive_everywhere({Item::kTick, true, settled_ns(), port, 0});
    } else if (beat.ring < setup_.ring_count) {
      references_[beat.ring]->arrive({Item::kPacket, true, beat.time_ns, port, static_cast<uint32_t>(number)});
    } else {
      misdirected_++;
    }
  }

  void arrive_everywhere(const Item& item) {
    for (uint32_t ring = 0; ring < setup_.ring_count; ring++) {
      references_[ring]->arrive(item);
    }
  }

  uint64_t settled_ns() const {
    if (!port_known_[0] || !port_known_[1]) {
      return port_ns_[port_known_[0] ? 0 : 1];
    }
    return port_ns_[0] < port_ns_[1] ? port_ns_[0] : port_ns_[1];
  }

  void sample_memories() {
    for (uint32_t ring = 0; ring < kRings; ring++) {
      MemoryPort& port = ports_[ring];
      port.awvalid = top_->awvalid >> ring & 1;
      port.awid = top_->awid >> 4 * ring & 15;
      port.awaddr = top_->awaddr[2 * ring] | uint64_t{top_->awaddr[2 * ring + 1]} << 32;
      port.awlen = static_cast<uint32_t>(top_->awlen >> 8 * ring & 255);
      port.awsize = top_->awsize >> 3 * ring & 7;
      port.awburst = top_->awburst >> 2 * ring & 3;
      port.wvalid = top_->wvalid >> ring & 1;
      port.wlast = top_->wlast >> ring & 1;
      if (port.wvalid) {
        memcpy(wdata_[ring].data(), top_->wdata.data() + 16 * ring, sizeof(Slot));
      }
      wstrb_[ring] = {top_->wstrb[2 * ring], top_->wstrb[2 * ring + 1]};
      port.wdata = wdata_[ring].data();
      port.wstrb = wstrb_[ring].data();
    }
  }

  void settle_memories() {
    uint32_t awready = 0, wready = 0, bvalid = 0, bid = 0, bresp = 0;
    for (uint32_t ring = 0; ring < kRings; ring++) {
      RingMemory& memory = memories_[ring];
      if (top_->reset_n) {
        memory.edge(ports_[ring], cycle_);
      }
      awready |= uint32_t{memory.awready} << ring;
      wready |= uint32_t{memory.wready} << ring;
      bvalid |= uint32_t{memory.bvalid} << ring;
      bid |= memory.bid << 4 * ring;
      bresp |= memory.bresp << 2 * ring;
    }
    top_->awready = static_cast<uint8_t>(awready);
    top_->wready = static_cast<uint8_t>(wready);
    top_->bvalid = static_cast<uint8_t>(bvalid);
    top_->bid = bid;
    top_->bresp = static_cast<uint16_t>(bresp);
  }

  /** The head says that slots are in memory: they are read there and then. */
  void follow_heads() {
    if (is_starting_) {
      is_starting_ = !top_->reset_n || !top_->probe_open;  // until then the former run's heads stand
      return;
    }
    for (uint32_t ring = 0; ring < kRings; ring++) {
      const uint64_t head = top_->probe_head[2 * ring] | uint64_t{top_->probe_head[2 * ring + 1]} << 32;
      if (head == heads_[ring]) {
        continue;
      }
      if (head < heads_[ring] || head > references_[ring]->position()) {
        std::printf("ring %u, cycle %llu: the head goes from %llu to %llu, the reference stands at %llu\n", ring,
                    static_cast<unsigned long long>(cycle_), static_cast<unsigned long long>(heads_[ring]),
                    static_cast<unsigned long long>(head),
                    static_cast<unsigned long long>(references_[ring]->position()));
        CHECK(!"the head is where it cannot be");
        throw Hopeless{"the head is where it cannot be"};
      }
      for (uint64_t position = heads_[ring]; position < head && references_[ring]->has_expected(); position++) {
        const Slot& slot = memories_[ring].slot(position);
        const bool is_expected = references_[ring]->next_expected() == slot;
        if (!is_expected) {
          std::printf("ring %u, position %llu, cycle %llu\n", ring, static_cast<unsigned long long>(position),
                      static_cast<unsigned long long>(cycle_));
        }
        CHECK(is_expected);
        readers_[ring]->read(slot);
      }
      heads_[ring] = head;
    }
  }

  void drive_registers() {
    if (access_ == Access::kWrite) {
      top_->control_awvalid = !address_taken_ && address_delay_ == 0;
      top_->control_wvalid = !data_taken_ && data_delay_ == 0;
      address_delay_ -= address_delay_ > 0;
      data_delay_ -= data_delay_ > 0;
    }
  }

  void sample_registers() {
    if (access_ == Access::kWrite) {
      address_accepted_ = top_->control_awvalid && top_->control_awready;
      data_accepted_ = top_->control_wvalid && top_->control_wready;
      answered_ = top_->control_bvalid;
    } else if (access_ == Access::kRead) {
      address_accepted_ = top_->control_arvalid && top_->control_arready;
      answered_ = top_->control_rvalid;
      read_data_ = top_->control_rdata;
    }
  }

  void settle_registers() {
    if (access_ == Access::kWrite) {
      address_taken_ |= address_accepted_;
      data_taken_ |= data_accepted_;
      top_->control_awvalid = 0;
      top_->control_wvalid = 0;
      if (answered_) {
        access_ = Access::kNone;
        if (then_written_) {
          const auto then = std::move(then_written_);
          then();
        }
      }
    } else if (access_ == Access::kRead) {
      if (address_accepted_) {
        top_->control_arvalid = 0;
      }
      if (answered_) {
        access_ = Access::kNone;
        const auto then = std::move(then_read_);
        then(read_data_);
      }
    }
    address_accepted_ = data_accepted_ = answered_ = false;
  }

  const Setup setup_;
  Random random_;
  VerilatedContext context_;
  std::unique_ptr<Vring_bench> top_;
  uint64_t cycle_ = 0;
  bool is_starting_ = true;  // heads mean nothing yet

  std::array<uint64_t, kRings> bases_{};
  std::deque<RingMemory> memories_;
  std::array<MemoryPort, kRings> ports_{};
  std::array<std::array<uint32_t, 16>, kRings> wdata_{};
  std::array<std::array<uint32_t, 2>, kRings> wstrb_{};

  std::vector<std::unique_ptr<RingReference>> references_;
  std::vector<std::unique_ptr<RingReader>> readers_;
  std::array<uint64_t, kRings> heads_{};
  std::array<uint64_t, kRings> released_{};
  std::array<uint64_t, kRings> seen_{};

  std::array<Beat, 2> offered_{};
  std::array<bool, 2> is_offered_{};
  Sent sent_;
  std::array<uint64_t, 2> taken_{};
  std::array<uint64_t, 2> stalls_{};
  std::array<uint64_t, 2> port_ns_{};
  std::array<bool, 2> port_known_{};
  uint64_t misdirected_ = 0;
  uint64_t discarded_ = 0;

  Access access_ = Access::kNone;
  bool is_port_wanted_ = false;
  bool address_taken_ = false;
  bool data_taken_ = false;
  uint32_t address_delay_ = 0;
  uint32_t data_delay_ = 0;
  bool address_accepted_ = false;
  bool data_accepted_ = false;
  bool answered_ = false;
  uint32_t read_data_ = 0;
  std::function<void()> then_written_;
  std::function<void(uint32_t)> then_read_;
};

}  // namespace flowstone::sim
