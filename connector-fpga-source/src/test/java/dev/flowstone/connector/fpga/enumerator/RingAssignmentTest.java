// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.enumerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.connector.fpga.rings.RingName;
import dev.flowstone.connector.fpga.rings.RingSighting;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.model.KeyGroups;
import dev.flowstone.offheap.ring.RingProgress;
import dev.flowstone.offheap.ring.RingStart;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.junit.jupiter.api.Test;

class RingAssignmentTest {
  private static final String DIRECTORY = "/rings";

  private static RingName name(String host, int ring) {
    return new RingName(host, DIRECTORY, ring);
  }

  private static List<RingSighting> sightings(String host, int ringCount, int... rings) {
    return Arrays.stream(rings)
        .mapToObj(ring -> new RingSighting(name(host, ring), ringCount, 77 + ring, 128))
        .toList();
  }

  private static List<RingSighting> all(String host, int ringCount) {
    return sightings(host, ringCount, IntStream.range(0, ringCount).toArray());
  }

  private static RingAssignment assignment(int parallelism, boolean bounded) {
    return new RingAssignment(parallelism, RingStart.OLDEST, bounded);
  }

  private static RingSplit resumed(int ring, int ringCount, long position) {
    return new RingSplit(
        name("a", ring),
        ringCount,
        new RingStart.Resume(new RingProgress(1, position, 0, true, 0, true, true, 0, 0)));
  }

  /** Rings by subtask. */
  private static Map<Integer, List<Integer>> rings(Map<Integer, List<RingSplit>> assigned) {
    Map<Integer, List<Integer>> rings = new TreeMap<>();
    assigned.forEach(
        (subtask, splits) ->
            rings.put(subtask, splits.stream().map(split -> split.name().ring()).toList()));
    return rings;
  }

  @Test
  void shouldGiveEachSubtaskTheRingsOfItsKeyGroups() {
    for (int parallelism : new int[] {1, 2, 4, 8}) {
      RingAssignment assignment = assignment(parallelism, false);
      for (int subtask = 0; subtask < parallelism; subtask++) {
        assignment.ringsSeen(subtask, "a", all("a", 8));
      }
      byte[] table = KeyGroups.ringTable(128, 8);
      Map<Integer, List<Integer>> rings = rings(assignment.assign());
      for (int keyGroup = 0; keyGroup < 128; keyGroup++) {
        int subtask =
            KeyGroupRangeAssignment.computeOperatorIndexForKeyGroup(128, parallelism, keyGroup);
        assertThat(rings.get(subtask)).contains((int) table[keyGroup]);
      }
    }
  }

  /** Readers speak again only when something changes. */
  @Test
  void shouldBeginRingsAnewThatNobodysStateHolds() {
    RingAssignment assignment = assignment(2, false);
    assignment.restore(
        new RingEnumeratorState(List.of(), Map.of(name("a", 0), 2, name("a", 1), 2)));
    assignment.ringsSeen(0, "a", all("a", 2));
    assertThat(assignment.assign()).isEmpty();
    assignment.ringsSeen(1, "a", all("a", 2));
    assertThat(rings(assignment.assign())).isEqualTo(Map.of(0, List.of(0), 1, List.of(1)));
  }

  @Test
  void shouldGiveEachRingToOneReaderWhenTheyDoNotDivideEvenly() {
    RingAssignment assignment = assignment(3, false);
    for (int subtask = 0; subtask < 3; subtask++) {
      assignment.ringsSeen(subtask, "a", all("a", 4));
    }
    assertThat(rings(assignment.assign()))
        .isEqualTo(Map.of(0, List.of(0, 1), 1, List.of(2), 2, List.of(3)));
    assertThat(assignment.assign()).isEmpty();
  }

  @Test
  void shouldWaitUntilAllReadersCame() {
    RingAssignment assignment = assignment(2, false);
    assignment.ringsSeen(1, "a", all("a", 2));
    assertThat(assignment.assign()).isEmpty();
    assignment.ringsSeen(0, "a", all("a", 2));
    assertThat(rings(assignment.assign())).isEqualTo(Map.of(0, List.of(0), 1, List.of(1)));
  }

  @Test
  void shouldAssignOnlyToReadersOfTheRingsHost() {
    RingAssignment assignment = assignment(3, false);
    assignment.ringsSeen(0, "a", all("a", 2));
    assignment.ringsSeen(1, "b", all("b", 2));
    assignment.ringsSeen(2, "a", all("a", 2));
    Map<Integer, List<RingSplit>> assigned = assignment.assign();
    assertThat(rings(assigned)).isEqualTo(Map.of(0, List.of(0), 1, List.of(0, 1), 2, List.of(1)));
    assertThat(assigned.get(1)).allMatch(split -> split.name().host().equals("b"));
  }

  @Test
  void shouldAssignARingThatAppearsLater() {
    RingAssignment assignment = assignment(1, false);
    assignment.ringsSeen(0, "a", sightings("a", 2, 0));
    assertThat(rings(assignment.assign())).isEqualTo(Map.of(0, List.of(0)));
    assignment.ringsSeen(0, "a", all("a", 2));
    assertThat(rings(assignment.assign())).isEqualTo(Map.of(0, List.of(1)));
  }

  @Test
  void shouldPreferTheRestoredPositionToAFreshStart() {
    RingAssignment assignment = assignment(2, false);
    assignment.ringsSeen(0, "a", all("a", 2));
    RingSplit restored = resumed(0, 2, 500);
    assignment.readerCame(1, List.of(restored));
    assignment.ringsSeen(1, "a", all("a", 2));
    assertThat(assignment.assign().get(0)).containsExactly(restored);
  }

  @Test
  void shouldKeepARestoredRingOfAnAbsentHostUnassigned() {
    RingAssignment assignment = assignment(1, false);
    RingSplit restored = resumed(0, 1, 500);
    assignment.readerCame(0, List.of(restored));
    assignment.ringsSeen(0, "b", List.of());
    assertThat(assignment.assign()).isEmpty();
    assertThat(assignment.unassigned()).containsExactly(restored);
    assignment.ringsSeen(0, "a", List.of());
    assertThat(assignment.assign().get(0)).containsExactly(restored);
  }

  @Test
  void shouldGiveBackTheSplitsOfAFailedReaderToItsSuccessor() {
    RingAssignment assignment = assignment(2, false);
    assignment.ringsSeen(0, "a", all("a", 4));
    assignment.ringsSeen(1, "a", all("a", 4));
    List<RingSplit> had = assignment.assign().get(1);
    RingSplit sinceCheckpoint = had.get(1);
    assignment.readerFailed(1, List.of(sinceCheckpoint));
    assignment.ringsSeen(0, "a", all("a", 4));
    assertThat(assignment.assign()).isEmpty();
    RingSplit inCheckpoint = resumed(2, 4, 900);
    assignment.readerCame(1, List.of(inCheckpoint));
    assertThat(assignment.assign()).isEmpty();
    assignment.ringsSeen(1, "a", all("a", 4));
    assertThat(assignment.assign()).isEqualTo(Map.of(1, List.of(inCheckpoint, sinceCheckpoint)));
  }

  @Test
  void shouldNotReadAFinishedRingAgainInABoundedRun() {
    RingAssignment first = assignment(1, true);
    first.ringsSeen(0, "a", all("a", 2));
    first.assign();
    RingAssignment restored = assignment(1, true);
    restored.restore(first.state());
    restored.readerCame(0, List.of(resumed(1, 2, 10)));
    restored.ringsSeen(0, "a", all("a", 2));
    assertThat(rings(restored.assign())).isEqualTo(Map.of(0, List.of(1)));
    assertThat(restored.isEverythingAssigned(List.of(DIRECTORY))).isTrue();
  }

  @Test
  void shouldKeepUnassignedSplitsOverARestart() throws IOException {
    RingAssignment first = assignment(2, false);
    first.readerCame(0, List.of(resumed(0, 2, 40)));
    first.ringsSeen(0, "a", all("a", 2));
    byte[] bytes = RingEnumeratorStateSerializer.INSTANCE.serialize(first.state());
    RingEnumeratorState state = RingEnumeratorStateSerializer.INSTANCE.deserialize(1, bytes);
    assertThat(state).isEqualTo(first.state());
    RingAssignment restored = assignment(1, false);
    restored.restore(state);
    restored.ringsSeen(0, "a", all("a", 2));
    assertThat(restored.assign().get(0)).contains(resumed(0, 2, 40));
  }

  @Test
  void shouldHaveEverythingOnlyWhenEachFoldersTapIsWhole() {
    RingAssignment assignment = assignment(1, true);
    assignment.ringsSeen(0, "a", List.of());
    assertThat(assignment.isEverythingAssigned(List.of(DIRECTORY))).isFalse();
    assignment.ringsSeen(0, "a", sightings("a", 2, 0));
    assignment.assign();
    assertThat(assignment.isEverythingAssigned(List.of(DIRECTORY))).isFalse();
    assignment.ringsSeen(0, "a", all("a", 2));
    assertThat(assignment.isEverythingAssigned(List.of(DIRECTORY))).isFalse();
    assignment.assign();
    assertThat(assignment.isEverythingAssigned(List.of(DIRECTORY))).isTrue();
    assertThat(assignment.isEverythingAssigned(List.of(DIRECTORY, "/other"))).isFalse();
  }

  @Test
  void shouldRefuseMalformedState() throws IOException {
    RingAssignment assignment = assignment(1, false);
    assignment.ringsSeen(0, "a", all("a", 1));
    byte[] bytes = RingEnumeratorStateSerializer.INSTANCE.serialize(assignment.state());
    assertThatThrownBy(() -> RingEnumeratorStateSerializer.INSTANCE.deserialize(9, bytes))
        .hasMessageContaining("version 9");
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> RingEnumeratorStateSerializer.INSTANCE.deserialize(1, cut))
          .isInstanceOf(IOException.class);
    }
  }
}
