// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.connector.fpga.rings.MemoryRing;
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

  private MemoryRing retire() {
    MemoryRing ring = rings.start(0, 10);
    retired.add(rings.open(MemoryRings.stream(0), RingStart.OLDEST).orElseThrow());
    return ring;
  }

  /**
   * What operators got of a ring before its retirement is in the checkpoint that began after it.
   */
  @Test
  void shouldCloseEachWithTheFirstCheckpointThatBeganAfterItsRetirement() {
    MemoryRing first = retire();
    retired.snapshot(5);
    MemoryRing second = retire();
    retired.completed(4);
    assertThat(first.isReaderClosed()).as("4 began before it").isFalse();
    retired.completed(5);
    assertThat(first.isReaderClosed()).isTrue();
    assertThat(second.isReaderClosed()).as("5 began before it").isFalse();
    retired.snapshot(6);
    retired.snapshot(7);
    retired.completed(6);
    assertThat(second.isReaderClosed()).isTrue();
    assertThat(retired.size()).isZero();
  }

  @Test
  void shouldCloseThoseThatStillWaitWhenItIsClosed() {
    MemoryRing ring = retire();
    retired.close();
    assertThat(ring.isReaderClosed()).isTrue();
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
