// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.abi.LaneMode;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Producer and reader, step by step: each interleaving that matters, on one thread. */
class RingReservationTest {
  private static final long SLOTS = 1024;

  private final MemorySegment header =
      MemorySegment.ofArray(new long[RingFileHeaderLayout.HEADER_BYTES / Long.BYTES]);
  private final RingHeader words = new RingHeader(header);
  private final RingLanes lanes = new RingLanes(header, words, () -> () -> {});
  private final RingWindow window = new RingWindow(Path.of("memory"), words, SLOTS);
  private final RingReservation reservation = new RingReservation(words, lanes::leastHeld, SLOTS);

  private void produced(long position) {
    words.publishPosition(position);
    words.withdrawReserved(position);
  }

  @Test
  void shouldReserveWhatNobodyHolds() {
    assertThat(reservation.reserve(0, 5000)).isEqualTo(5000);
    assertThat(words.reservedPosition()).isEqualTo(5000);
  }

  private static LaneOwner gating(String name) {
    return new LaneOwner(name, LaneMode.GATING, RingReader.USUAL_EXPIRY);
  }

  @Test
  void shouldStopForAReaderThatComesBetweenTheFirstLookAndTheAnnouncement() {
    produced(SLOTS);
    boolean[] readerSettled = {false};
    RingReservation interrupted =
        new RingReservation(
            words,
            position -> {
              long held = lanes.leastHeld(position);
              if (!readerSettled[0]) {
                readerSettled[0] = true;
                RingLane lane = lanes.claim(gating("reader"), 0);
                assertThat(window.settle(0, lane::release)).as("nothing is announced yet").isZero();
              }
              return held;
            },
            SLOTS);
    assertThat(interrupted.reserve(SLOTS, 10)).isEqualTo(SLOTS);
    assertThat(window.stands(0)).isTrue();
  }

  @Test
  void shouldSendAReaderThatComesAfterTheAnnouncementFurtherOn() {
    produced(SLOTS);
    reservation.reserve(SLOTS, 10);
    RingLane lane = lanes.claim(gating("reader"), 0);

    long settled = window.settle(0, lane::release);
    assertThat(settled).isEqualTo(10 + RingFileHeaderLayout.RESERVED_SLOTS);
    assertThat(lanes.leastHeld(SLOTS)).isEqualTo(settled);
  }

  @Test
  void shouldNotLetALaneThatCameTooLateTakeTheAnnouncementBack() {
    produced(5 * SLOTS);
    RingLane late = lanes.claim(gating("late"), SLOTS);
    assertThat(reservation.reserve(5 * SLOTS, 10)).isEqualTo(5 * SLOTS);

    assertThat(window.stands(SLOTS)).as("what is long gone").isFalse();
    assertThat(window.settle(SLOTS, late::release)).isGreaterThan(4 * SLOTS);
  }

  @Test
  void shouldTellAnObserverOfEveryAnnouncementUntilItIsTakenBack() {
    produced(SLOTS);
    assertThat(window.stands(0)).isTrue();
    reservation.reserve(SLOTS, 10);
    assertThat(window.stands(9)).isFalse();
    assertThat(window.stands(10)).isTrue();
    produced(SLOTS + 3);
    assertThat(window.stands(2)).isFalse();
    assertThat(window.stands(3)).isTrue();
  }
}
