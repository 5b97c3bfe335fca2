// SPDX-License-Identifier: Apache-2.0
// What the tests of a card as a host sees it have in common: how it is started, and its books.
#pragma once

#include <cstddef>

#include "card_process.hpp"
#include "check.hpp"
#include "host.hpp"

namespace flowstone::card::test {

#define TAP(field) offsetof(fs_card_tap_registers, field)
#define STATE(field) offsetof(fs_card_ring_state, field)

inline HostOptions options(uint32_t ring_count = 4, uint32_t slots_log2 = 12) {
  HostOptions options;
  options.xclbin = build_folder + "/flowstone.xclbin";
  options.ring_count = ring_count;
  options.slots_log2 = slots_log2;
  return options;
}

/** Everything that came in is a record, or a loss that was told of. */
inline void check_books(Host& host) {
  uint64_t offered = 0, sent = 0;
  for (uint32_t port = 0; port < host.options().ports; port++) sent += host.port(port, TAP(sent_packets));
  for (uint32_t ring = 0; ring < host.options().ring_count; ring++) {
    const uint64_t ring_offered = host.ring(ring, STATE(offered_packets));
    CHECK_EQUAL(ring_offered, host.ring(ring, STATE(written_packets)) + host.ring(ring, STATE(dropped_packets)));
    CHECK_EQUAL(host.ring(ring, STATE(dropped_packets)), host.ring(ring, STATE(lost_recorded)));
    CHECK_EQUAL(host.ring(ring, STATE(written_packets)), host.check(ring).packets());
    CHECK_EQUAL(host.ring(ring, STATE(dropped_packets)), host.check(ring).lost());
    CHECK_EQUAL(ring_offered, host.check(ring).latest_offered());
    CHECK_EQUAL(0, host.check(ring).most_unexplained());
    offered += ring_offered;
  }
  CHECK_EQUAL(sent, offered);
  CHECK_EQUAL(0, host.damaged());
}

}  // namespace flowstone::card::test
