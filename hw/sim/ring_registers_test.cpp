// SPDX-License-Identifier: Apache-2.0
// What the host reads and writes of ht_ring.
#include "ring_cases.hpp"

namespace flowstone::sim {
namespace {

// ---- Registers ----

TEST(registers_say_what_they_were_told) {
  Bench bench(seeded());
  CHECK_EQUAL(kIdle, bench.read(KERNEL_REGISTER(control)));
  CHECK_EQUAL(FS_CARD_RING_REGISTERS_MAGIC, bench.read(KERNEL_REGISTER(magic)));
  CHECK_EQUAL(FS_CARD_RING_REGISTERS_VERSION, bench.read(KERNEL_REGISTER(version)));
  CHECK_EQUAL(0x20261121, bench.read(KERNEL_REGISTER(build)));
  CHECK_EQUAL(256, bench.read(KERNEL_REGISTER(flush_cycles)));
  bench.configure();
  for (uint32_t ring = 0; ring < kRings; ring++) {
    CHECK_EQUAL(bench.base(ring), bench.read_counter(KERNEL_REGISTER(base_addresses) + 8 * ring));
  }
  CHECK_EQUAL(10, bench.read(KERNEL_REGISTER(slots_log2)));
  CHECK_EQUAL(8, bench.read(KERNEL_REGISTER(ring_count)));
  CHECK_EQUAL(64, bench.read(KERNEL_REGISTER(flush_cycles)));

  bench.write(KERNEL_REGISTER(base_addresses), 0x12345fff);
  CHECK_EQUAL(0x12345000, bench.read(KERNEL_REGISTER(base_addresses)));
  for (const auto& [asked, given] : {std::pair{0u, 10u}, {9u, 10u}, {22u, 22u}, {23u, 22u}, {UINT32_MAX, 22u}}) {
    bench.write(KERNEL_REGISTER(slots_log2), asked);
    CHECK_EQUAL(given, bench.read(KERNEL_REGISTER(slots_log2)));
  }
  for (const auto& [asked, given] : {std::pair{0u, 0u}, {3u, 3u}, {9u, 8u}, {16u, 8u}, {UINT32_MAX, 8u}}) {
    bench.write(KERNEL_REGISTER(ring_count), asked);
    CHECK_EQUAL(given, bench.read(KERNEL_REGISTER(ring_count)));
  }
  for (uint32_t address : {4u, 0x54u, 0x0fcu, 0x114u, 0x128u, 0x238u, 0x400u, 0xffcu}) {
    bench.write(address, UINT32_MAX);
    CHECK_EQUAL(0, bench.read(address));
  }
}

TEST(arguments_hold_while_the_kernel_runs) {
  Bench bench(seeded());
  bench.configure();
  bench.start();
  bench.write(KERNEL_REGISTER(slots_log2), 20);
  bench.write(KERNEL_REGISTER(ring_count), 1);
  bench.write(KERNEL_REGISTER(base_addresses), 0x1000);
  bench.write(KERNEL_REGISTER(control), kStart);
  CHECK_EQUAL(10, bench.read(KERNEL_REGISTER(slots_log2)));
  CHECK_EQUAL(8, bench.read(KERNEL_REGISTER(ring_count)));
  CHECK_EQUAL(bench.base(0), bench.read_counter(KERNEL_REGISTER(base_addresses)));
  send(bench, 0, packets(100, 3));
  CHECK_EQUAL(101, bench.head(3));
  bench.finish();
}

TEST(control_says_running_done_once_and_idle) {
  Bench bench(seeded());
  bench.configure();
  bench.start();
  CHECK_EQUAL(kStart, bench.read(KERNEL_REGISTER(control)));
  bench.stop();
  bench.run(200);
  const uint32_t done = kDone | kReady | kIdle;
  CHECK_EQUAL(done, bench.read(KERNEL_REGISTER(control)));
  CHECK_EQUAL(kIdle, bench.read(KERNEL_REGISTER(control)));
  bench.check_end();
}

TEST(counter_is_one_number_though_it_is_read_in_two_words) {
  Bench bench(seeded());
  bench.configure();
  bench.start();
  Host host(bench, Host::gives_all_back());
  bench.source[0] = Traffic(bench, 100000).to_rings(1);
  // 2^32 bytes are 16,400 frames of 256 KiB: the low word's turn falls between the two reads.
  const auto bytes = [&] { return bench.reference(0).counters().offered_bytes; };
  bench.run_until([&] { return bytes() > 0xff000000; });
  bench.host = {};
  const uint64_t before = bytes();
  const uint32_t low = bench.read(RING_REGISTER(0, offered_bytes));
  const uint64_t after = bytes();
  bench.host = [] {};
  bench.run_until([&] { return bytes() > UINT64_C(0x100000000); });
  // Another counter, and another ring, in between.
  bench.read_counter(RING_REGISTER(0, offered_packets));
  bench.read_counter(RING_REGISTER(1, offered_bytes));
  const uint32_t high = bench.read(RING_REGISTER(0, offered_bytes) + 4);
  CHECK_EQUAL(0, high);
  const uint64_t value = low | uint64_t{high} << 32;
  CHECK(value >= before - 2 * kLongestFrame && value <= after);
  CHECK(bench.read_counter(RING_REGISTER(0, offered_bytes)) > UINT64_C(0x100000000));
  bench.finish();
}

// ---- Credit ----

TEST(credit_that_makes_no_sense_is_ignored) {
  Bench bench(seeded());
  bench.configure();
  bench.start();
  send(bench, 0, packets(99));
  give_back_to(bench, 0, 50);
  CHECK_EQUAL(50, bench.read(RING_REGISTER(0, credit)));
  for (const uint32_t credit : {49u, 0u, 101u, 1000u, UINT32_MAX, 50u, 0x80000032u}) {
    give_back_to(bench, 0, credit);
    CHECK_EQUAL(50, bench.read(RING_REGISTER(0, credit)));
    CHECK_EQUAL(50, bench.released(0));
  }
  give_back_to(bench, 0, 100);
  CHECK_EQUAL(100, bench.read(RING_REGISTER(0, credit)));
  send(bench, 0, packets(2000));
  CHECK_EQUAL(100 + kSlots - kReserved, bench.head(0));
  bench.finish();
}

TEST(slots_may_not_be_given_back_before_they_were_shown) {
  Setup setup = seeded();
  setup.memory = latency(3000, 3000);
  Bench bench(setup);
  bench.configure();
  bench.start();
  bench.source[0] = list(packets(100));
  bench.run(1000);
  CHECK_EQUAL(0, bench.head(0));
  give_back_to(bench, 0, 64);
  CHECK_EQUAL(0, bench.read(RING_REGISTER(0, credit)));
  bench.drain();
  give_back_to(bench, 0, 64);
  CHECK_EQUAL(64, bench.read(RING_REGISTER(0, credit)));
  bench.finish();
}

}  // namespace
}  // namespace flowstone::sim
