// SPDX-License-Identifier: Apache-2.0
// The host at the registers while the kernel runs: it reads the rings' heads one after the other, and gives slots back as it is told.
#pragma once

#include "ring_bench.hpp"

namespace flowstone::sim {

class Host {
 public:
  /** What the credit of a ring shall be, given its head and its credit so far. */
  using Policy = std::function<uint64_t(uint32_t ring, uint64_t head, uint64_t credit)>;

  Host(Bench& bench, Policy policy) : bench_(bench), policy_(std::move(policy)) {
    bench_.host = [this] { turn(); };
  }
  ~Host() { bench_.host = {}; }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  static Policy gives_all_back() {
    return [](uint32_t, uint64_t head, uint64_t) { return head; };
  }
  static Policy gives_nothing_back() {
    return [](uint32_t, uint64_t, uint64_t credit) { return credit; };
  }

  /** Of a hundred turns, so many are a credit that makes no sense, or a look at some other register. */
  unsigned mischief_percent = 0;

  uint64_t credit(uint32_t ring) const { return credits_[ring]; }

  /** Says nothing more, once the latest access is over. */
  void rest() {
    bench_.host = {};
    bench_.run_until([this] { return bench_.register_port_is_free(); });
    bench_.run(10);
  }

  /** What was given back in all is what the rings took as such. */
  void check_credits() const {
    for (uint32_t ring = 0; ring < kRings; ring++) {
      CHECK_EQUAL(credits_[ring], bench_.released(ring));
    }
  }

 private:
  void turn() {
    if (mischief_percent > 0 && bench_.random().chance(mischief_percent)) {
      mischief();
      return;
    }
    if (is_head_new_) {
      is_head_new_ = false;
      const uint64_t credit = policy_(ring_, head_, credits_[ring_]);
      CHECK(credit >= credits_[ring_] && credit <= head_);
      if (credit != credits_[ring_]) {
        credits_[ring_] = credit;
        bench_.begin_write(RING_REGISTER(ring_, credit), static_cast<uint32_t>(credit));
        return;
      }
    }
    ring_ = (ring_ + 1) % bench_.setup().ring_count;
    read_counter(RING_REGISTER(ring_, head), [this](uint64_t head) {
      head_ = head;
      is_head_new_ = true;
    });
  }

  void read_counter(uint32_t address, std::function<void(uint64_t)> then) {
    const uint32_t ring = (address - RING_REGISTER(0, credit)) / sizeof(fs_card_ring_state);
    const bool is_head = address == RING_REGISTER(ring, head);
    const uint64_t before = is_head ? bench_.head(ring) : 0;
    bench_.begin_read(address, [this, address, ring, is_head, before, then](uint32_t low) {
      const uint64_t after = is_head ? bench_.head(ring) : UINT64_MAX;
      bench_.begin_read(address + 4, [low, before, after, then](uint32_t high) {
        const uint64_t value = low | uint64_t{high} << 32;
        CHECK(value >= before && value <= after);
        then(value);
      });
    });
  }

  void mischief() {
    Random& random = bench_.random();
    const auto ring = static_cast<uint32_t>(random.below(bench_.setup().ring_count));
    const uint64_t slots = uint64_t{1} << bench_.setup().slots_log2;
    switch (random.below(4)) {
      case 0: {  // Beyond the head, and beyond anything that it can have come to meanwhile.
        const uint64_t beyond = bench_.head(ring) + slots + random.between(1, UINT32_MAX / 2);
        bench_.begin_write(RING_REGISTER(ring, credit), static_cast<uint32_t>(beyond));
        break;
      }
      case 1: {  // Back.
        const uint64_t back = credits_[ring] - random.between(1, 1000);
        bench_.begin_write(RING_REGISTER(ring, credit), static_cast<uint32_t>(back));
        break;
      }
      case 2:  // Nowhere.
        bench_.begin_write(static_cast<uint32_t>(random.between(0x400, 0xfff)) & ~3u, static_cast<uint32_t>(random.next()));
        break;
      default:  // A look at anything but at the control register, whose done would be gone then.
        bench_.begin_read(static_cast<uint32_t>(random.between(4, 0xfff)) & ~3u, [](uint32_t) {});
    }
  }

  Bench& bench_;
  const Policy policy_;
  std::array<uint64_t, kRings> credits_{};
  uint32_t ring_ = 0;
  uint64_t head_ = 0;
  bool is_head_new_ = false;
};

/** What a port sends: so many packets, one in a cycle with a given chance, their times ever later. */
struct Traffic {
  Traffic(Bench& bench, uint64_t packets) : bench(&bench), packets(packets) {}

  Traffic& percent(unsigned chance) { return set(percent_, chance); }
  Traffic& ticks(unsigned chance) { return set(tick_percent, chance); }
  Traffic& to_rings(uint32_t count) { return set(rings, count); }

  bool operator()(Beat& beat) {
    if (packets == 0 || (percent_ < 100 && !bench->random().chance(percent_))) {
      return false;
    }
    time_ns += bench->random().between(0, 2 * gap_ns);
    beat.time_ns = time_ns;
    beat.is_tick = tick_percent > 0 && bench->random().chance(tick_percent);
    beat.ring = static_cast<uint32_t>(bench->random().below(rings));
    packets -= !beat.is_tick;
    return true;
  }

  Bench* bench;
  uint64_t packets;
  unsigned percent_ = 100;
  unsigned tick_percent = 0;
  uint64_t time_ns = 1'795'219'200'000'000'000;
  uint64_t gap_ns = 7;
  uint32_t rings = kRings;

 private:
  template <typename Value>
  Traffic& set(Value& field, Value value) {
    field = value;
    return *this;
  }
};

/** Sends all of it, and waits until it is in memory. */
inline void send_all(Bench& bench, Traffic first, Traffic second, uint64_t max_cycles = 2'000'000) {
  bench.source[0] = std::ref(first);
  bench.source[1] = std::ref(second);
  bench.run_until([&] { return first.packets == 0 && second.packets == 0; }, max_cycles);
  bench.drain();
}

}  // namespace flowstone::sim
