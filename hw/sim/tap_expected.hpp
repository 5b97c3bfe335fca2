// SPDX-License-Identifier: Apache-2.0
// A tap that runs, and what is to come of the frames it gets: the parser's model under the card's profile, the model's key group, and the
// time of the first beat.
#pragma once

#include <cinttypes>
#include <cstddef>

#include "frames.hpp"
#include "tap_bench.hpp"
#include "test_main.hpp"

namespace flowstone::sim {

inline constexpr uint64_t kStartNs = 1'795'219'200'000'000'000;
inline constexpr uint32_t kNsPerCycle = 4;
inline constexpr uint32_t kMaxParallelism = 1024;
/** A host's write is heard at some time while it is answered, or so many cycles later. */
inline constexpr uint64_t kHeardCycles = 16;

#define TAP(field) offsetof(fs_card_tap_registers, field)

/** A tap that runs, with a clock of whole nanoseconds, so that every time is known. */
struct Tap : TapBench {
  std::vector<uint8_t> ring_of_key_group;  // as many as there are key groups

  explicit Tap(test::Random& random, uint32_t ingress_port = 0, uint32_t tick_cycles = 1'000'000) {
    write(TAP(ingress_port), ingress_port);
    write(TAP(time_increment), kNsPerCycle << FS_CARD_TAP_REGISTERS_TIME_FRACTION_BITS);
    write(TAP(tick_cycles), tick_cycles);
    set_key_groups(random, kMaxParallelism);
    start();
    write(TAP(time_set_high), static_cast<uint32_t>(kStartNs >> 32));
    write(TAP(time_set_low), static_cast<uint32_t>(kStartNs));
    idle(20);
  }

  /** Any ring for each key group. Of a table that was longer before, the rest stays in the tap. */
  void set_key_groups(test::Random& random, uint32_t max_parallelism) {
    write(TAP(max_parallelism), max_parallelism);
    write(TAP(table_address), 0);
    ring_of_key_group.resize(max_parallelism);
    for (uint8_t& ring : ring_of_key_group) {
      ring = static_cast<uint8_t>(random.below(8));
      write(TAP(table_ring), ring);
    }
  }

  uint32_t ring_of(const fs_packet_record& record) const {
    return ring_of_key_group[flowstone_key_group(record.flow_hash, static_cast<uint32_t>(ring_of_key_group.size()))];
  }
};

/** A frame that was sent, and what is to come of it. */
struct Expected {
  fs_packet_record record;
  uint64_t first_cycle;
  uint32_t ring;
  uint32_t bytes;
};

inline Expected expect(const Tap& tap, const uint8_t* bytes, uint32_t count, uint32_t ingress_port) {
  Expected expected = {};
  expected.record = record_of_frame(bytes, count, ingress_port);
  expected.ring = tap.ring_of(expected.record);
  expected.bytes = count;
  return expected;
}

inline void print(const char* what, const void* bytes, size_t count) {
  std::printf("%s", what);
  for (size_t i = 0; i < count; i++) std::printf(" %02x", static_cast<const uint8_t*>(bytes)[i]);
  std::printf("\n");
}

/** From the frame's first beat to the time of its record. */
inline int64_t delay_ns_between(const Expected& expected, const Sent& sent) {
  return static_cast<int64_t>(sent.time_ns() - expected.first_cycle * kNsPerCycle);
}

/** Times are those of first beats, all with the same delay. */
inline bool same(const Sent& sent, const Expected& expected, int64_t delay_ns) {
  fs_packet_record record = expected.record;
  const int64_t late_ns = delay_ns_between(expected, sent);
  record.time_low = sent.record.time_low;
  if (std::memcmp(&record, &sent.record, sizeof record) == 0 && sent.ring == expected.ring && late_ns == delay_ns) return true;
  print("expected", &record, sizeof record);
  print("sent    ", &sent.record, sizeof record);
  std::printf("ring %u, expected %u; %" PRId64 " ns late, expected %" PRId64 "\n", sent.ring, expected.ring, late_ns, delay_ns);
  return false;
}

/** The delay of every record, as a lone frame shows it: by it a record's frame is known. Nothing else may be under way. */
inline int64_t delay_ns_of(Tap& tap) {
  const Frame frame = udp_frame(64);
  tap.sent.clear();
  Expected expected = {};
  expected.first_cycle = tap.send(frame.data(), 64);
  tap.idle(200);
  CHECK_EQUAL(1, tap.sent.size());
  if (tap.sent.empty()) throw Hopeless{"a lone frame has no record"};
  const int64_t delay_ns = delay_ns_between(expected, tap.sent.back());
  tap.sent.clear();
  return delay_ns;
}

inline bool is_of(const Sent& sent, const Expected& expected, int64_t delay_ns) {
  return delay_ns_between(expected, sent) == delay_ns;
}

inline void check_all(const Tap& tap, const std::vector<Expected>& expected) {
  std::vector<Sent> packets;
  for (const Sent& each : tap.sent) {
    if (!each.tick) packets.push_back(each);
  }
  CHECK_EQUAL(expected.size(), packets.size());
  const int64_t delay_ns = packets.empty() || expected.empty() ? 0 : delay_ns_between(expected[0], packets[0]);
  for (size_t i = 0; i < packets.size() && i < expected.size(); i++) {
    if (!same(packets[i], expected[i], delay_ns)) {
      std::printf("packet %zu of %zu\n", i, expected.size());
      CHECK(false);
      return;
    }
  }
}

}  // namespace flowstone::sim
