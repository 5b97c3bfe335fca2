// SPDX-License-Identifier: Apache-2.0
// What the tests of ht_ring share. Behind every test stand the checks of the bench: each slot that the head shows is in memory at that
// moment and is the one that the reference expects; each burst keeps the rules of the port; at the end every packet is accounted for.
#pragma once

#include <algorithm>

#include "ring_host.hpp"

namespace flowstone::sim {

constexpr uint64_t kSlots = 1u << FS_CARD_RING_REGISTERS_LEAST_SLOTS_LOG2;
constexpr uint64_t kReserved = FS_RING_FILE_HEADER_RESERVED_SLOTS;
constexpr uint64_t kTimeNs = 1'795'219'200'000'000'000;
constexpr uint64_t kSecondNs = 1'000'000'000;
constexpr uint64_t kBurst = FS_CARD_RING_REGISTERS_BURST_SLOTS;

inline Setup seeded() {
  Setup setup;
  setup.seed = seed;
  return setup;
}

/** Sends what is in a list, one after the other. */
inline Source list(std::vector<Beat> beats) {
  size_t next = 0;
  return [beats = std::move(beats), next](Beat& beat) mutable {
    if (next == beats.size()) {
      return false;
    }
    beat = beats[next++];
    return true;
  };
}

inline Beat packet(uint64_t time_ns, uint32_t ring = 0) { return {time_ns, ring, false}; }
inline Beat tick(uint64_t time_ns) { return {time_ns, 0, true}; }

inline void send(Bench& bench, uint32_t port, std::vector<Beat> beats) {
  const uint64_t sent = bench.sent(port) + beats.size();
  bench.source[port] = list(std::move(beats));
  bench.run_until([&] { return bench.sent(port) == sent; });
  bench.drain();
}

inline std::vector<Beat> packets(uint64_t count, uint32_t ring = 0) {
  std::vector<Beat> beats;
  for (uint64_t i = 0; i < count; i++) {
    beats.push_back(packet(kTimeNs + i, ring));
  }
  return beats;
}

inline Slot seen(Bench& bench, uint32_t ring, uint64_t position) { return bench.memory(ring).slot(position); }

inline fs_time_record time_at(Bench& bench, uint32_t ring, uint64_t position) {
  fs_time_record record;
  memcpy(&record, seen(bench, ring, position).data(), sizeof record);
  CHECK_EQUAL(FS_RECORD_KIND_TIME, kind(record_of(seen(bench, ring, position))));
  return record;
}

inline fs_loss_record loss_at(Bench& bench, uint32_t ring, uint64_t position) {
  fs_loss_record record;
  memcpy(&record, seen(bench, ring, position).data(), sizeof record);
  CHECK_EQUAL(FS_RECORD_KIND_LOSS, kind(record_of(seen(bench, ring, position))));
  return record;
}

inline void give_back_to(Bench& bench, uint32_t ring, uint64_t credit) {
  bench.write(RING_REGISTER(ring, credit), static_cast<uint32_t>(credit));
  bench.run(10);
}

}  // namespace flowstone::sim
