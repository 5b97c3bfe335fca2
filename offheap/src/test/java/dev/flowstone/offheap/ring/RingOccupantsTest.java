// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.abi.LaneMode;
import java.util.List;
import org.junit.jupiter.api.Test;

class RingOccupantsTest {
  private static final long SLOTS = 1024;

  private long position = SLOTS;
  private long released;

  /** Between two looks the reader gives back a full ring, and the producer fills it anew. */
  private void lap() {
    released += SLOTS;
    position += SLOTS;
  }

  private long readPosition() {
    long read = position;
    lap();
    return read;
  }

  private List<RingLanes.Occupant> readLanes() {
    var read =
        new RingLanes.Occupant(
            0, ReaderName.of("night-watch"), LaneMode.GATING, 1, 1, released, 0, 0, 1);
    lap();
    return List.of(read);
  }

  @Test
  void shouldNotSeeMoreHeldThanTheRingHasWhileBothMoveOn() {
    RingOccupants occupants = RingOccupants.look(this::readPosition, this::readLanes);
    assertThat(occupants.slotsFrom(occupants.readers().getFirst().releasedPosition()))
        .isBetween(0L, SLOTS);
  }

  @Test
  void shouldSeeNothingHeldBeyondThePosition() {
    assertThat(new RingOccupants(100, List.of()).slotsFrom(101)).isZero();
    assertThat(new RingOccupants(100, List.of()).slotsFrom(99)).isEqualTo(1);
  }
}
