// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.abi.RingClock;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Room that a tap takes for rings to come while it fills others. */
class RingRoomTest {
  private static final int SLOTS_LOG2 = 10;

  @TempDir Path folder;

  private static RingSpecification rings(int count, int slotsLog2) {
    return new RingSpecification(
        count, slotsLog2, RingClock.SYNTHETIC, 128, "test", Optional.empty());
  }

  private RingDirectory directory() {
    return new RingDirectory(folder);
  }

  private RingSetWriter create(RingSpecification specification, RingRoom room) {
    return RingSetWriter.create(directory(), specification, WhenFull.DROP, Optional.of(room));
  }

  private Object keyOfTemporary(int ring) throws IOException {
    return Files.getAttribute(directory().temporaryFile(ring), "unix:ino");
  }

  private Object keyOfRing(int ring) throws IOException {
    return Files.getAttribute(directory().ringFile(ring), "unix:ino");
  }

  @Test
  void shouldBecomeTheFilesOfRingsOfItsSize() throws IOException {
    RingRoom room = RingRoom.take(directory(), rings(2, SLOTS_LOG2));
    room.touch(() -> false);
    Object second = keyOfTemporary(1);
    try (RingSetWriter made = create(rings(2, SLOTS_LOG2), room)) {
      assertThat(keyOfRing(1)).isEqualTo(second);
      assertThat(made.ringFile(1).identity().ringCount()).isEqualTo(2);
      assertThat(directory().temporaryFile(0)).doesNotExist();
    }
  }

  @Test
  void shouldLeaveTheRingsBeforeAsTheyAre() {
    try (RingSetWriter former =
        RingSetWriter.create(directory(), rings(1, SLOTS_LOG2), WhenFull.DROP)) {
      RingRoom.take(directory(), rings(2, SLOTS_LOG2)).touch(() -> false);
      assertThat(former.ringFile(0).isReplaced()).isFalse();
      assertThat(directory().ringFiles()).hasSize(1);
    }
  }

  @Test
  void shouldGiveWayToRingsOfAnotherSize() {
    RingRoom room = RingRoom.take(directory(), rings(3, SLOTS_LOG2));
    try (RingSetWriter made = create(rings(2, SLOTS_LOG2 + 1), room)) {
      assertThat(made.ringFile(0).identity().slotCount()).isEqualTo(2 << SLOTS_LOG2);
      assertThat(directory().temporaryFile(2)).doesNotExist();
    }
  }

  @Test
  void shouldBeGivenBack() {
    RingRoom room = RingRoom.take(directory(), rings(2, SLOTS_LOG2));
    room.giveBack();
    assertThat(folder).isEmptyDirectory();
  }
}
