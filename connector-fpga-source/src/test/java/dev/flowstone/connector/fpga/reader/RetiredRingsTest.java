// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.connector.fpga.rings.MemoryRings;
import dev.flowstone.connector.fpga.rings.OpenRing;
import dev.flowstone.offheap.ring.RingStart;
import org.junit.jupiter.api.Test;

class RetiredRingsTest {
  private final MemoryRings rings = new MemoryRings(1);
  private final RetiredRings retired = new RetiredRings();

  private OpenRing ring() {
    rings.start(0, 10);
    return rings.open(MemoryRings.stream(0), RingStart.OLDEST).orElseThrow();
  }

  @Test
  void shouldBoundTheirNumber() {
    for (int i = 0; i < RetiredRings.MOST_RETIRED; i++) {
      assertThat(retired.isFullFor(ring())).as("%d retired", i).isFalse();
      retired.add(ring());
    }
    assertThat(retired.isFullFor(ring())).isTrue();
    retired.snapshot(1);
    retired.completed(1);
    assertThat(retired.isFullFor(ring())).isFalse();
  }

  @Test
  void shouldBoundTheirBytesButForTheFirst() {
    OpenRing large = new SizedRing(ring(), 25);
    OpenRing small = new SizedRing(ring(), 24);
    assertThat(retired.isFullFor(new SizedRing(ring(), 30))).as("the first").isFalse();
    retired.add(small);
    assertThat(retired.isFullFor(small)).as("2 GiB in all").isFalse();
    assertThat(retired.isFullFor(large)).as("3 GiB in all").isTrue();
  }
}
