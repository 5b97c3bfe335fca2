// SPDX-License-Identifier: Apache-2.0
// What the rings ought to hold, told by what the kernel's inside shows: in which order records were taken, when a ring was done with
// one, what it saw given back. Every slot that a head shows is read from the memory in that cycle, and held against it and by a reader.
#pragma once

#include <cinttypes>
#include <memory>

#include "Vring_bench.h"
#include "ring_memories.hpp"
#include "ring_reader.hpp"
#include "ring_reference.hpp"
#include "test_main.hpp"

namespace flowstone::sim {

class RingReferences {
 public:
  RingReferences(Vring_bench& top, RingMemories& memories, const Sent& sent, uint32_t ring_count, uint32_t slots_log2)
      : top_(top), memories_(memories), sent_(sent), ring_count_(ring_count), slots_log2_(slots_log2) {
    begin();
  }

  /** As after a start. Heads mean nothing until the kernel is open: until then the former run's stand. */
  void begin() {
    references_.clear();
    readers_.clear();
    for (uint32_t ring = 0; ring < kRings; ring++) {
      references_.push_back(std::make_unique<RingReference>(slots_log2_));
      readers_.push_back(std::make_unique<RingReader>(ring, slots_log2_, sent_));
    }
    is_starting_ = true;
    taken_ = {};
    heads_ = {};
    released_ = {};
    seen_ = {};
    misdirected_ = 0;
    port_ns_ = {};
    port_known_ = {};
  }

  RingReference& reference(uint32_t ring) { return *references_[ring]; }
  const RingReference& reference(uint32_t ring) const { return *references_[ring]; }
  RingReader& reader(uint32_t ring) { return *readers_[ring]; }
  const RingReader& reader(uint32_t ring) const { return *readers_[ring]; }
  const std::array<uint64_t, 2>& taken() const { return taken_; }
  uint64_t head(uint32_t ring) const { return heads_[ring]; }
  uint64_t released(uint32_t ring) const { return released_[ring]; }
  uint64_t misdirected() const { return misdirected_; }

  /** All that was taken has become slots that the host can see, or losses. */
  bool is_quiet() const {
    for (uint32_t ring = 0; ring < ring_count_; ring++) {
      if (references_[ring]->has_item() || heads_[ring] != references_[ring]->position()) {
        return false;
      }
    }
    return true;
  }

  /** Items in the order in which the kernel took them; then what rings did with theirs. */
  void sample(uint64_t cycle) {
    if (top_.probe_done != 0) {
      for (uint32_t ring = 0; ring < kRings; ring++) {
        if (top_.probe_done >> ring & 1) {
          if (!references_[ring]->has_item()) {
            std::printf("ring %u, cycle %" PRIu64 "\n", ring, cycle);
            CHECK(!"a ring is done with an item that it never got");
            throw Hopeless{"a ring is done with an item that it never got"};
          }
          references_[ring]->deal();
        }
      }
    }
    for (uint32_t ring = 0; ring < kRings; ring++) {
      // A decision sees slots that were given back two cycles before.
      const uint64_t slots = top_.probe_released[ring];
      if ((seen_[ring] | slots) != 0) {
        references_[ring]->release(seen_[ring]);
        seen_[ring] = slots;
        released_[ring] += slots;
      }
    }
    for (uint32_t port = 0; port < 2; port++) {
      if (top_.probe_taken >> port & 1) {
        take(port);
      }
    }
    if (top_.probe_last) {
      arrive_where({Item::kLast, port_known_[0] || port_known_[1], settled_ns(), 0, 0}, kAllRings);
    }
  }

  /** The head says that slots are in memory: they are read there and then. */
  void follow_heads(uint64_t cycle) {
    if (is_starting_) {
      is_starting_ = !top_.reset_n || !top_.probe_open;
      return;
    }
    for (uint32_t ring = 0; ring < kRings; ring++) {
      const uint64_t head = top_.probe_head[2 * ring] | uint64_t{top_.probe_head[2 * ring + 1]} << 32;
      if (head == heads_[ring]) {
        continue;
      }
      if (head < heads_[ring] || head > references_[ring]->position()) {
        std::printf("ring %u, cycle %" PRIu64 ": the head goes from %" PRIu64 " to %" PRIu64 ", the reference stands at %" PRIu64 "\n",
                    ring, cycle, heads_[ring], head, references_[ring]->position());
        CHECK(!"the head is where it cannot be");
        throw Hopeless{"the head is where it cannot be"};
      }
      for (uint64_t position = heads_[ring]; position < head && references_[ring]->has_expected(); position++) {
        const Slot& slot = memories_[ring].slot(position);
        const bool is_expected = references_[ring]->next_expected() == slot;
        if (!is_expected) {
          std::printf("ring %u, position %" PRIu64 ", cycle %" PRIu64 "\n", ring, position, cycle);
        }
        CHECK(is_expected);
        readers_[ring]->read(slot);
      }
      heads_[ring] = head;
    }
  }

 private:
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
      arrive_where({Item::kTick, true, settled_ns(), port, 0}, top_.probe_room);
    } else if (beat.ring < ring_count_) {
      references_[beat.ring]->arrive({Item::kPacket, true, beat.time_ns, port, static_cast<uint32_t>(number)});
    } else {
      misdirected_++;
    }
  }

  static constexpr uint32_t kAllRings = (1u << kRings) - 1;

  void arrive_where(const Item& item, uint32_t rings) {
    for (uint32_t ring = 0; ring < ring_count_; ring++) {
      if (rings >> ring & 1) {
        references_[ring]->arrive(item);
      }
    }
  }

  uint64_t settled_ns() const {
    if (!port_known_[0] || !port_known_[1]) {
      return port_ns_[port_known_[0] ? 0 : 1];
    }
    return port_ns_[0] < port_ns_[1] ? port_ns_[0] : port_ns_[1];
  }

  Vring_bench& top_;
  RingMemories& memories_;
  const Sent& sent_;
  const uint32_t ring_count_;
  const uint32_t slots_log2_;

  std::vector<std::unique_ptr<RingReference>> references_;
  std::vector<std::unique_ptr<RingReader>> readers_;
  bool is_starting_ = true;
  std::array<uint64_t, kRings> heads_{};
  std::array<uint64_t, kRings> released_{};
  std::array<uint64_t, kRings> seen_{};
  std::array<uint64_t, 2> taken_{};
  std::array<uint64_t, 2> port_ns_{};
  std::array<bool, 2> port_known_{};
  uint64_t misdirected_ = 0;
};

}  // namespace flowstone::sim
