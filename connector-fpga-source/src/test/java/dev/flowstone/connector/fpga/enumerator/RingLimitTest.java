// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.enumerator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.connector.fpga.rings.RingName;
import dev.flowstone.connector.fpga.rings.RingSighting;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.offheap.ring.RingStart;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** An assignment that knows as many rings as it may. */
class RingLimitTest {
  private static final String DIRECTORY = "/rings";

  private static AskedAssignment assignment(int parallelism) {
    return new AskedAssignment(parallelism, RingStart.OLDEST, false);
  }

  @Test
  void shouldLeaveRingsAloneThatAreTooManyAndNameThem() {
    List<RingSighting> seen = new ArrayList<>();
    for (int tap = 0; tap <= RingAssignment.MAX_RINGS; tap++) {
      RingName name = new RingName("a", DIRECTORY + tap, 0);
      seen.add(new RingSighting(StreamNumber.of(tap, 0), name, 1, 77, List.of(), true));
    }
    AskedAssignment assignment = assignment(1);
    assertThat(assignment.ringsSeen(0, "a", seen)).containsExactly(seen.getLast().name());
    assertThat(assignment.unassigned()).hasSize(RingAssignment.MAX_RINGS);
  }

  /** Where folders are made from scratch again and again, former rings would fill the source. */
  @Test
  void shouldForgetRingsThatNoReaderSeesOnceAllHaveReported() {
    AskedAssignment assignment = assignment(2);
    List<RingSplit> former = ringsOfManyTaps(RingAssignment.MAX_RINGS);
    assignment.readerCame(0, former);
    RingSighting aNewRing = sightingOf(aNewRing());
    assertThat(assignment.ringsSeen(0, "a", List.of(aNewRing))).containsExactly(aNewRing.name());
    RingSighting seen = sightingOf(former.getFirst());
    assertThat(assignment.ringsSeen(1, "b", List.of(seen))).isEmpty();
    assertThat(assignment.unassigned())
        .extracting(RingSplit::stream)
        .contains(seen.stream(), aNewRing.stream());

    Map<Integer, List<RingSplit>> assigned = assignment.assign();
    assertThat(assigned.get(0)).extracting(RingSplit::stream).containsExactly(aNewRing.stream());
    assertThat(assigned.get(1)).containsExactly(former.getFirst());
    assertThat(assignment.unassigned()).hasSize(RingAssignment.MAX_RINGS - 2);
  }

  /** Its reader reports how many packets were missed. */
  @Test
  void shouldNotForgetARingThatItsTapHasGivenUp() {
    AskedAssignment assignment = assignment(1);
    List<RingSplit> former = ringsOfManyTaps(RingAssignment.MAX_RINGS - 1);
    RingName name = new RingName("a", DIRECTORY + 0, 1);
    RingSplit givenUp = new RingSplit(StreamNumber.of(0, 1), name, 2, RingStart.OLDEST);
    former.add(givenUp);
    assignment.readerCame(0, former);
    List<RingSighting> seen = new ArrayList<>();
    former.stream()
        .filter(ring -> !ring.equals(givenUp))
        .map(RingLimitTest::sightingOf)
        .forEach(seen::add);
    seen.add(sightingOf(aNewRing()));
    assertThat(assignment.ringsSeen(0, "a", seen)).containsExactly(aNewRing().name());
    assertThat(assignment.assign().get(0)).contains(givenUp);
  }

  private static List<RingSplit> ringsOfManyTaps(int count) {
    List<RingSplit> rings = new ArrayList<>();
    for (int tap = 0; tap < count; tap++) {
      RingName name = new RingName("a", DIRECTORY + tap, 0);
      rings.add(new RingSplit(StreamNumber.of(tap, 0), name, 1, RingStart.OLDEST));
    }
    return rings;
  }

  private static RingSplit aNewRing() {
    RingName name = new RingName("a", DIRECTORY, 0);
    return new RingSplit(StreamNumber.of(RingAssignment.MAX_RINGS, 0), name, 1, RingStart.OLDEST);
  }

  private static RingSighting sightingOf(RingSplit split) {
    return new RingSighting(split.stream(), split.name(), 1, 77, List.of(), true);
  }
}
