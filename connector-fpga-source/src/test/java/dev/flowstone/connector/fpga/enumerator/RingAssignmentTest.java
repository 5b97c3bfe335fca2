// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.enumerator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.connector.fpga.rings.RingName;
import dev.flowstone.connector.fpga.rings.RingSighting;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.offheap.ring.PacketBooks;
import dev.flowstone.offheap.ring.RingProgress;
import dev.flowstone.offheap.ring.RingStart;
import dev.flowstone.offheap.ring.RingTime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.junit.jupiter.api.Test;

class RingAssignmentTest {
  private static final String DIRECTORY = "/rings";
  private static final List<String> ALL_HOSTS = List.of();

  private static RingName name(String host, int ring) {
    return new RingName(host, DIRECTORY, ring);
  }

  /** Each host's folder has streams of its own. */
  private static long stream(String host, int ring) {
    return StreamNumber.of(host.charAt(0), ring);
  }

  private static RingSighting sighting(String host, int ring, int ringCount) {
    return new RingSighting(
        stream(host, ring), name(host, ring), ringCount, 77 + ring, List.of(), true);
  }

  private static List<RingSighting> sightings(String host, int ringCount, int... rings) {
    return Arrays.stream(rings).mapToObj(ring -> sighting(host, ring, ringCount)).toList();
  }

  private static List<RingSighting> all(String host, int ringCount) {
    return sightings(host, ringCount, IntStream.range(0, ringCount).toArray());
  }

  private static AskedAssignment assignment(int parallelism, boolean bounded) {
    return new AskedAssignment(parallelism, RingStart.OLDEST, bounded);
  }

  private static RingSplit resumed(int ring, int ringCount, long position) {
    return new RingSplit(
        stream("a", ring),
        name("a", ring),
        ringCount,
        new RingStart.Resume(
            new RingProgress(
                1,
                position,
                new RingTime(0, true, true),
                new PacketBooks(true, 0, 0, PacketLoss.NONE, PacketLoss.NONE))));
  }

  /** Rings by subtask. */
  private static Map<Integer, List<Integer>> rings(Map<Integer, List<RingSplit>> assigned) {
    Map<Integer, List<Integer>> rings = new TreeMap<>();
    assigned.forEach(
        (subtask, splits) -> rings.put(subtask, splits.stream().map(RingSplit::ring).toList()));
    return rings;
  }

  @Test
  void shouldGiveEachSubtaskTheRingsOfItsKeyGroups() {
    for (int parallelism : new int[] {1, 2, 4, 8}) {
      AskedAssignment assignment = assignment(parallelism, false);
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

  /** A state in which readers had the two rings of host a. */
  private static RingEnumeratorState bothAssigned(boolean isComplete) {
    return new RingEnumeratorState(
        List.of(),
        Map.of(
            stream("a", 0),
            new KnownRing(name("a", 0), 2),
            stream("a", 1),
            new KnownRing(name("a", 1), 2)),
        true,
        isComplete,
        false);
  }

  /** Readers speak again only when something changes. */
  @Test
  void shouldReadARingFromItsOldestPacketWhenNoReadersStateHasIt() {
    AskedAssignment assignment = assignment(2, false);
    assignment.restore(bothAssigned(false));
    assignment.readerCame(0, List.of(resumed(0, 2, 500)));
    assignment.ringsSeen(0, "a", all("a", 2));
    assertThat(assignment.assign()).isEmpty();
    assignment.ringsSeen(1, "a", all("a", 2));
    Map<Integer, List<RingSplit>> assigned = assignment.assign();
    assertThat(rings(assigned)).isEqualTo(Map.of(0, List.of(0), 1, List.of(1)));
    assertThat(assigned.get(0)).containsExactly(resumed(0, 2, 500));
    assertThat(assigned.get(1).getFirst().start()).isEqualTo(RingStart.OLDEST);
  }

  /** Then Flink leaves the splits to the readers, and each ring would get a second one. */
  @Test
  void shouldFailWhenNoReaderReportsASplitOfItsCheckpoint() {
    AskedAssignment assignment = assignment(2, false);
    assignment.restore(bothAssigned(false));
    assignment.ringsSeen(0, "a", all("a", 2));
    assignment.ringsSeen(1, "a", all("a", 2));
    assertThatThrownBy(assignment::assign)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(name("a", 0).toString())
        .hasMessageContaining("SupportsSplitReassignmentOnRecovery");
  }

  /** All rings of a bounded run were finished, and the job continues without an end. */
  @Test
  void shouldReadRingsFromTheirOldestPacketAfterABoundedRun() {
    AskedAssignment assignment = assignment(2, false);
    assignment.restore(bothAssigned(true));
    assignment.ringsSeen(0, "a", all("a", 2));
    assignment.ringsSeen(1, "a", all("a", 2));
    assertThat(rings(assignment.assign())).isEqualTo(Map.of(0, List.of(0), 1, List.of(1)));
  }

  /** As after the failure of a TaskManager: the reader continues from its own state. */
  @Test
  void shouldFailWhenAReaderThatFailedDoesNotReportItsSplits() {
    AskedAssignment assignment = assignment(1, false);
    assignment.readerCame(0, List.of());
    assignment.ringsSeen(0, "a", all("a", 2));
    assignment.assign();
    assignment.readerFailed(0, List.of());
    assignment.readerCame(0, List.of());
    assignment.ringsSeen(0, "a", all("a", 2));
    assertThatThrownBy(assignment::assign)
        .hasMessageContaining("SupportsSplitReassignmentOnRecovery");
  }

  @Test
  void shouldGiveEachRingToOneReaderWhenTheyDoNotDivideEvenly() {
    AskedAssignment assignment = assignment(3, false);
    for (int subtask = 0; subtask < 3; subtask++) {
      assignment.ringsSeen(subtask, "a", all("a", 4));
    }
    assertThat(rings(assignment.assign()))
        .isEqualTo(Map.of(0, List.of(0, 1), 1, List.of(2), 2, List.of(3)));
    assertThat(assignment.assign()).isEmpty();
  }

  /** Of three readers on a host, all of which may end. */
  private static AskedAssignment ending(int ringCount) {
    AskedAssignment assignment = assignment(3, true);
    for (int subtask = 0; subtask < 3; subtask++) {
      assignment.ringsSeen(subtask, "a", all("a", ringCount));
    }
    assignment.assign();
    for (int subtask = 0; subtask < 3; subtask++) {
      assignment.readerMayEnd(subtask);
    }
    return assignment;
  }

  private static RingSplit unread(int ring, int ringCount) {
    return new RingSplit(stream("a", ring), name("a", ring), ringCount, RingStart.OLDEST);
  }

  @Test
  void shouldGiveReadersThatComeAgainTheirOwnRingsWhenOthersHaveEnded() {
    AskedAssignment assignment = ending(3);
    for (int subtask = 0; subtask < 2; subtask++) {
      assignment.readerFailed(subtask, List.of(unread(subtask, 3)));
      assignment.readerCame(subtask, List.of());
    }
    assignment.ringsSeen(0, "a", all("a", 3));
    assignment.ringsSeen(1, "a", all("a", 3));
    assertThat(rings(assignment.assign())).isEqualTo(Map.of(0, List.of(0), 1, List.of(1)));
  }

  @Test
  void shouldGiveNothingToAReaderThatMayHaveEnded() {
    AskedAssignment assignment = ending(4);
    assignment.readerFailed(0, List.of(unread(0, 4), unread(1, 4)));
    assignment.readerFailed(1, List.of(unread(2, 4)));
    assignment.readerCame(0, List.of());
    assignment.readerCame(1, List.of());
    assignment.ringsSeen(0, "a", all("a", 4));
    assignment.ringsSeen(1, "b", List.of());
    assertThat(rings(assignment.assign())).isEqualTo(Map.of(0, List.of(0, 1, 2)));
  }

  @Test
  void shouldWaitUntilAllReadersCame() {
    AskedAssignment assignment = assignment(2, false);
    assignment.ringsSeen(1, "a", all("a", 2));
    assertThat(assignment.assign()).isEmpty();
    assignment.ringsSeen(0, "a", all("a", 2));
    assertThat(rings(assignment.assign())).isEqualTo(Map.of(0, List.of(0), 1, List.of(1)));
  }

  @Test
  void shouldAssignOnlyToReadersOfTheRingsHost() {
    AskedAssignment assignment = assignment(3, false);
    assignment.ringsSeen(0, "a", all("a", 2));
    assignment.ringsSeen(1, "b", all("b", 2));
    assignment.ringsSeen(2, "a", all("a", 2));
    Map<Integer, List<RingSplit>> assigned = assignment.assign();
    assertThat(rings(assigned)).isEqualTo(Map.of(0, List.of(0), 1, List.of(0, 1), 2, List.of(1)));
    assertThat(assigned.get(1)).allMatch(split -> split.name().host().equals("b"));
  }

  @Test
  void shouldAssignARingThatAppearsLater() {
    AskedAssignment assignment = assignment(1, false);
    assignment.ringsSeen(0, "a", sightings("a", 2, 0));
    assertThat(rings(assignment.assign())).isEqualTo(Map.of(0, List.of(0)));
    assignment.ringsSeen(0, "a", all("a", 2));
    assertThat(rings(assignment.assign())).isEqualTo(Map.of(0, List.of(1)));
  }

  @Test
  void shouldPreferTheRestoredPositionToAFreshStart() {
    AskedAssignment assignment = assignment(2, false);
    assignment.ringsSeen(0, "a", all("a", 2));
    RingSplit restored = resumed(0, 2, 500);
    assignment.readerCame(1, List.of(restored));
    assignment.ringsSeen(1, "a", all("a", 2));
    assertThat(assignment.assign().get(0)).containsExactly(restored);
  }

  /** A tap that came again with more rings than the checkpoint knows. */
  @Test
  void shouldGiveRestoredRingsToTheSubtasksOfTheirKeyGroupsAsTheyAreNow() {
    AskedAssignment assignment = assignment(2, false);
    assignment.readerCame(0, List.of(resumed(0, 2, 5), resumed(1, 2, 5)));
    assignment.ringsSeen(0, "a", all("a", 4));
    assignment.ringsSeen(1, "a", all("a", 4));
    Map<Integer, List<RingSplit>> assigned = assignment.assign();
    assertThat(rings(assigned)).isEqualTo(Map.of(0, List.of(0, 1), 1, List.of(2, 3)));
    assertThat(assigned.get(0)).allMatch(split -> split.start() instanceof RingStart.Resume);
  }

  @Test
  void shouldKeepARestoredRingOfAnAbsentHostUnassigned() {
    AskedAssignment assignment = assignment(1, false);
    RingSplit restored = resumed(0, 1, 500);
    assignment.readerCame(0, List.of(restored));
    assignment.ringsSeen(0, "b", List.of());
    assertThat(assignment.assign()).isEmpty();
    assertThat(assignment.unassigned()).containsExactly(restored);
    assignment.ringsSeen(0, "a", all("a", 1));
    assertThat(assignment.assign().get(0)).containsExactly(restored);
  }

  /** Containers called alike: each ring is read, by who sees it. */
  @Test
  void shouldTellTheRingsOfTwoHostsOfOneNameApart() {
    AskedAssignment assignment = assignment(2, false);
    RingSighting here = sighting("a", 0, 1);
    RingSighting there =
        new RingSighting(stream("b", 0), here.name(), 1, here.incarnation() + 1, List.of(), true);
    assignment.ringsSeen(0, "localhost", List.of(here));
    assignment.ringsSeen(1, "localhost", List.of(there));
    Map<Integer, List<RingSplit>> assigned = assignment.assign();
    assertThat(assigned.get(0)).extracting(RingSplit::stream).containsExactly(here.stream());
    assertThat(assigned.get(1)).extracting(RingSplit::stream).containsExactly(there.stream());
  }

  /** One folder under two names: else its two readers would fence each other for ever. */
  @Test
  void shouldGiveARingThatTwoHostsSeeToOneOfThem() {
    AskedAssignment assignment = assignment(2, false);
    RingSighting ring = sighting("a", 0, 1);
    RingSighting underAnotherName =
        new RingSighting(
            ring.stream(),
            new RingName("b", "/mnt/rings", 0),
            1,
            ring.incarnation(),
            List.of(),
            true);
    assignment.ringsSeen(0, "a", List.of(ring));
    assignment.ringsSeen(1, "b", List.of(underAnotherName));
    assertThat(rings(assignment.assign())).isEqualTo(Map.of(0, List.of(0)));
    assertThat(assignment.assign()).isEmpty();
  }

  @Test
  void shouldGoOnWithARingWhoseHostWasRenamed() {
    AskedAssignment assignment = assignment(1, false);
    RingSplit restored = resumed(0, 1, 500);
    assignment.readerCame(0, List.of(restored));
    RingSighting renamed =
        new RingSighting(
            restored.stream(), new RingName("z", DIRECTORY, 0), 1, 99, List.of(77L), true);
    assignment.ringsSeen(0, "z", List.of(renamed));
    RingSplit assigned = assignment.assign().get(0).getFirst();
    assertThat(assigned.start()).isEqualTo(restored.start());
    assertThat(assigned.name()).isEqualTo(renamed.name());
  }

  /** A copied folder with a tap in each: which of them a position means nobody can say. */
  @Test
  void shouldRefuseTwoTapsOfOneStream() {
    AskedAssignment assignment = assignment(2, false);
    RingSighting original = sighting("a", 0, 1);
    RingSighting copy =
        new RingSighting(original.stream(), new RingName("b", "/copy", 0), 1, 5, List.of(4L), true);
    assignment.ringsSeen(0, "a", List.of(original));
    assignment.ringsSeen(1, "b", List.of(copy));
    assertThatThrownBy(assignment::assign)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("two taps fill stream")
        .hasMessageContaining("a:/rings/0")
        .hasMessageContaining("b:/copy/0");
  }

  /** The copy remembers the original as its forerunner, which then had no end. */
  @Test
  void shouldRefuseACopiedTapBesideItsOriginalOnOneHost() {
    RingSighting original = sighting("a", 0, 1);
    RingSighting copy =
        new RingSighting(
            original.stream(),
            new RingName("a", "/copy", 0),
            1,
            5,
            List.of(original.incarnation()),
            true);
    assertThatThrownBy(() -> assignment(1, false).ringsSeen(0, "a", List.of(original, copy)))
        .hasMessageContaining("two taps fill stream");
  }

  /** Its last report is older than the tap's latest start, which forgot the ring in between. */
  @Test
  void shouldAskAgainBeforeItTakesTwoSightsForTwoTaps() {
    RingAssignment assignment = new RingAssignment(2, RingStart.OLDEST, false);
    RingSighting former = sighting("a", 0, 1);
    RingSighting latest = new RingSighting(former.stream(), former.name(), 1, 5, List.of(), true);
    assignment.ringsSeen(0, new SightReport("a", List.of(former), 0));
    assignment.ringsSeen(1, new SightReport("a", List.of(latest), 0));
    assertThat(assignment.assign()).isEmpty();
    assertThat(assignment.looks()).isPositive();
    assignment.ringsSeen(0, new SightReport("a", List.of(latest), assignment.looks()));
    assertThat(rings(assignment.assign())).isEqualTo(Map.of(0, List.of(0)));
    assignment.ringsSeen(1, new SightReport("a", List.of(former), 0));
    assignment.assign();
    assertThat(assignment.looks()).as("a new doubt").isGreaterThan(1);
  }

  /** The tap came after the job: whoever looks first would have all of it. */
  @Test
  void shouldDealRingsThatOneReaderSawFirstToAllThatSeeThem() {
    RingAssignment assignment = new RingAssignment(2, RingStart.OLDEST, false);
    assignment.ringsSeen(0, new SightReport("a", List.of(), 0));
    assignment.ringsSeen(1, new SightReport("a", List.of(), 0));
    assertThat(assignment.assign()).isEmpty();
    assignment.ringsSeen(1, new SightReport("a", all("a", 4), 0));
    assertThat(assignment.assign()).isEmpty();
    long look = assignment.looks();
    assignment.ringsSeen(1, new SightReport("a", all("a", 4), look));
    assertThat(assignment.assign()).as("not all have looked").isEmpty();
    assignment.ringsSeen(0, new SightReport("a", all("a", 4), look));
    assertThat(rings(assignment.assign())).isEqualTo(Map.of(0, List.of(0, 1), 1, List.of(2, 3)));
  }

  /** A reader on another host never sees them. */
  @Test
  void shouldDealRingsAmongThoseThatSeeThemWhenAllHaveLooked() {
    RingAssignment assignment = new RingAssignment(2, RingStart.OLDEST, false);
    assignment.ringsSeen(0, new SightReport("a", List.of(), 0));
    assignment.ringsSeen(1, new SightReport("b", all("b", 2), 0));
    assertThat(assignment.assign()).isEmpty();
    assignment.ringsSeen(0, new SightReport("a", List.of(), assignment.looks()));
    assignment.ringsSeen(1, new SightReport("b", all("b", 2), assignment.looks()));
    assertThat(rings(assignment.assign())).isEqualTo(Map.of(1, List.of(0, 1)));
  }

  @Test
  void shouldNameTheCopyOfALivingTapOnAnotherHost() {
    RingAssignment assignment = new RingAssignment(2, RingStart.OLDEST, false);
    RingSighting original = sighting("a", 0, 1);
    RingName elsewhere = new RingName("b", "/copy", 0);
    RingSighting copy =
        new RingSighting(original.stream(), elsewhere, 1, 5, List.of(original.incarnation()), true);
    assignment.ringsSeen(0, new SightReport("a", List.of(original), 0));
    assertThat(assignment.copies()).isEmpty();
    assignment.ringsSeen(1, new SightReport("b", List.of(copy), 0));
    assertThat(assignment.copies()).containsExactly(original.name(), elsewhere);
  }

  @Test
  void shouldReadTheRingOfTheTapThatIsAtWorkWhenTheOtherIsAnOldCopy() {
    AskedAssignment assignment = assignment(2, false);
    RingSighting original = sighting("a", 0, 1);
    RingSighting copy =
        new RingSighting(
            original.stream(), new RingName("b", "/copy", 0), 1, 5, List.of(4L), false);
    assignment.ringsSeen(0, "b", List.of(copy));
    assignment.ringsSeen(1, "a", List.of(original));
    assertThat(rings(assignment.assign())).isEqualTo(Map.of(1, List.of(0)));
  }

  /** One reader looked before the tap was started again, the other after. */
  @Test
  void shouldGiveARingToAReaderThatSeesItsLatestIncarnation() {
    AskedAssignment assignment = assignment(2, false);
    RingSighting old = sighting("a", 0, 1);
    RingSighting latest =
        new RingSighting(old.stream(), old.name(), 1, 1234, List.of(old.incarnation()), true);
    assignment.ringsSeen(0, "a", List.of(old));
    assignment.ringsSeen(1, "a", List.of(latest));
    assertThat(rings(assignment.assign())).isEqualTo(Map.of(1, List.of(0)));
  }

  /** A tap that was started again is nobody's rival, whichever reader speaks first. */
  @Test
  void shouldNotTakeAFormerIncarnationThatIsSeenLastForARival() {
    AskedAssignment assignment = assignment(2, false);
    RingSighting old = sighting("a", 0, 1);
    RingSighting latest =
        new RingSighting(old.stream(), old.name(), 1, 1234, List.of(old.incarnation()), true);
    assignment.ringsSeen(0, "a", List.of(latest));
    assignment.ringsSeen(1, "a", List.of(old));
    assertThat(rings(assignment.assign())).isEqualTo(Map.of(0, List.of(0)));
  }

  @Test
  void shouldBeginRingsThatAppearLaterWithTheirOldestPacket() throws IOException {
    AskedAssignment assignment = new AskedAssignment(1, RingStart.LATEST, false);
    assignment.ringsSeen(0, "a", all("a", 1));
    assertThat(assignment.assign().get(0))
        .extracting(RingSplit::start)
        .containsOnly(RingStart.LATEST);
    List<RingSighting> both = new ArrayList<>(all("a", 1));
    both.addAll(all("b", 1));
    assignment.ringsSeen(0, "a", both);
    assertThat(assignment.assign().get(0))
        .extracting(RingSplit::start)
        .containsOnly(RingStart.OLDEST);

    byte[] bytes = RingEnumeratorStateSerializer.INSTANCE.serialize(assignment.state());
    AskedAssignment restored = new AskedAssignment(1, RingStart.LATEST, false);
    restored.restore(RingEnumeratorStateSerializer.INSTANCE.deserialize(2, bytes));
    restored.readerCame(0, List.of(resumed(0, 1, 500)));
    restored.ringsSeen(0, "c", all("c", 1));
    assertThat(restored.assign().get(0))
        .extracting(RingSplit::start)
        .containsOnly(RingStart.OLDEST);
  }

  @Test
  void shouldBeginRingsThatAppearAfterAnEmptyBeginningWithTheirOldestPacket() {
    AskedAssignment assignment = new AskedAssignment(1, RingStart.LATEST, false);
    assignment.ringsSeen(0, "a", List.of());
    assertThat(assignment.assign()).isEmpty();
    assignment.ringsSeen(0, "a", all("a", 1));
    assertThat(assignment.assign().get(0))
        .extracting(RingSplit::start)
        .containsOnly(RingStart.OLDEST);
  }

  /** Two hosts of one name, the second's tap late: the first's rings do not stand for them. */
  @Test
  void shouldWaitForATapOnEachReadersHost() {
    AskedAssignment assignment = assignment(2, true);
    assignment.ringsSeen(0, "localhost", all("a", 2));
    assignment.ringsSeen(1, "localhost", List.of());
    assignment.assign();
    assertThat(assignment.isEverythingAssigned(List.of(DIRECTORY), ALL_HOSTS)).isFalse();
    assignment.ringsSeen(1, "localhost", all("b", 2));
    assignment.assign();
    assertThat(assignment.isEverythingAssigned(List.of(DIRECTORY), ALL_HOSTS)).isTrue();
  }

  @Test
  void shouldWaitForTheHostsItWasToldOfAndForNoOthers() {
    AskedAssignment assignment = assignment(2, true);
    assignment.ringsSeen(0, "a", all("a", 2));
    assignment.ringsSeen(1, "without-tap", List.of());
    assignment.assign();
    assertThat(assignment.isEverythingAssigned(List.of(DIRECTORY), List.of("a"))).isTrue();
    AskedAssignment other = assignment(1, true);
    other.ringsSeen(0, "a", all("a", 2));
    other.assign();
    assertThat(other.isEverythingAssigned(List.of(DIRECTORY), List.of("a", "b"))).isFalse();
  }

  /** A tap that ended may have removed its rings when the job is restored. */
  @Test
  void shouldNotWaitAgainForWhatWasCompleteBeforeARestart() {
    AskedAssignment first = assignment(1, true);
    first.ringsSeen(0, "a", all("a", 1));
    first.assign();
    assertThat(first.isEverythingAssigned(List.of(DIRECTORY), ALL_HOSTS)).isTrue();
    AskedAssignment restored = assignment(1, true);
    restored.restore(first.state());
    restored.ringsSeen(0, "a", List.of());
    restored.assign();
    assertThat(restored.isEverythingAssigned(List.of(DIRECTORY), ALL_HOSTS)).isTrue();
  }

  /** Its tap came again with fewer rings: who sees that finds out what was missed. */
  @Test
  void shouldGiveARingThatIsGoneForGoodToAReaderThatSeesItsTap() {
    AskedAssignment assignment = assignment(1, true);
    RingSplit restored = resumed(3, 4, 500);
    assignment.readerCame(0, List.of(restored));
    assignment.ringsSeen(0, "a", all("a", 2));
    assertThat(assignment.assign().get(0)).contains(restored);
  }

  /** Two readers at one ring would fence each other for ever. */
  @Test
  void shouldLeaveARingToItsReaderWhenAnotherComesWithItToo() {
    AskedAssignment assignment = assignment(2, false);
    assignment.ringsSeen(0, "a", all("a", 1));
    assignment.ringsSeen(1, "a", all("a", 1));
    assertThat(rings(assignment.assign())).isEqualTo(Map.of(0, List.of(0)));
    assignment.readerCame(1, List.of(resumed(0, 1, 500)));
    assignment.ringsSeen(1, "a", all("a", 1));
    assertThat(assignment.assign()).isEmpty();
    assertThat(assignment.unassigned()).isEmpty();
  }

  @Test
  void shouldGiveBackTheSplitsOfAFailedReaderToItsSuccessor() {
    AskedAssignment assignment = assignment(2, false);
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
    AskedAssignment first = assignment(1, true);
    first.ringsSeen(0, "a", all("a", 2));
    first.assign();
    AskedAssignment restored = assignment(1, true);
    restored.restore(first.state());
    restored.readerCame(0, List.of(resumed(1, 2, 10)));
    restored.ringsSeen(0, "a", all("a", 2));
    assertThat(rings(restored.assign())).isEqualTo(Map.of(0, List.of(1)));
    assertThat(restored.isEverythingAssigned(List.of(DIRECTORY), ALL_HOSTS)).isTrue();
  }

  @Test
  void shouldKeepUnassignedSplitsOverARestart() throws IOException {
    AskedAssignment first = assignment(2, false);
    first.readerCame(0, List.of(resumed(0, 2, 40)));
    first.ringsSeen(0, "a", all("a", 2));
    byte[] bytes = RingEnumeratorStateSerializer.INSTANCE.serialize(first.state());
    RingEnumeratorState state = RingEnumeratorStateSerializer.INSTANCE.deserialize(3, bytes);
    assertThat(state).isEqualTo(first.state());
    byte[] formerBytes = Arrays.copyOf(bytes, bytes.length - 1);
    assertThat(RingEnumeratorStateSerializer.INSTANCE.deserialize(2, formerBytes)).isEqualTo(state);
    AskedAssignment restored = assignment(1, false);
    restored.restore(state);
    restored.ringsSeen(0, "a", all("a", 2));
    assertThat(restored.assign().get(0)).contains(resumed(0, 2, 40));
  }

  @Test
  void shouldKeepThatAllIsReadOverARestart() throws IOException {
    RingEnumeratorState allRead = new RingEnumeratorState(List.of(), Map.of(), true, true, true);
    byte[] bytes = RingEnumeratorStateSerializer.INSTANCE.serialize(allRead);
    assertThat(RingEnumeratorStateSerializer.INSTANCE.deserialize(3, bytes)).isEqualTo(allRead);
  }

  @Test
  void shouldHaveEverythingOnlyWhenEachFoldersTapIsWhole() {
    AskedAssignment assignment = assignment(1, true);
    assignment.ringsSeen(0, "a", List.of());
    assertThat(assignment.isEverythingAssigned(List.of(DIRECTORY), ALL_HOSTS)).isFalse();
    assignment.ringsSeen(0, "a", sightings("a", 2, 0));
    assignment.assign();
    assertThat(assignment.isEverythingAssigned(List.of(DIRECTORY), ALL_HOSTS)).isFalse();
    assignment.ringsSeen(0, "a", all("a", 2));
    assertThat(assignment.isEverythingAssigned(List.of(DIRECTORY), ALL_HOSTS)).isFalse();
    assignment.assign();
    assertThat(assignment.isEverythingAssigned(List.of(DIRECTORY, "/other"), ALL_HOSTS)).isFalse();
    assertThat(assignment.isEverythingAssigned(List.of(DIRECTORY), ALL_HOSTS)).isTrue();
  }

  @Test
  void shouldRefuseMalformedState() throws IOException {
    AskedAssignment assignment = assignment(1, false);
    assignment.ringsSeen(0, "a", all("a", 1));
    byte[] bytes = RingEnumeratorStateSerializer.INSTANCE.serialize(assignment.state());
    assertThatThrownBy(() -> RingEnumeratorStateSerializer.INSTANCE.deserialize(9, bytes))
        .hasMessageContaining("version 9");
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> RingEnumeratorStateSerializer.INSTANCE.deserialize(3, cut))
          .isInstanceOf(IOException.class);
    }
  }
}
