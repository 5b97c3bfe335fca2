// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.enumerator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import dev.flowstone.connector.fpga.rings.RingName;
import dev.flowstone.connector.fpga.rings.RingSighting;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.offheap.ring.RingStart;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.connector.source.ReaderInfo;
import org.apache.flink.connector.testutils.source.reader.TestingSplitEnumeratorContext;
import org.junit.jupiter.api.Test;

/** What the enumerator sends to readers, and when. */
class RingEnumeratorTest {
  private static final String DIRECTORY = "/rings";

  private final Map<Integer, List<RingSplit>> reported = new HashMap<>();

  /** And not started again yet. */
  private final Set<Integer> failed = new HashSet<>();

  private final TestingSplitEnumeratorContext<RingSplit> context =
      new TestingSplitEnumeratorContext<>(2) {
        @Override
        public Map<Integer, ReaderInfo> registeredReaders() {
          Map<Integer, ReaderInfo> readers = new HashMap<>();
          for (int subtask : super.registeredReaders().keySet()) {
            List<RingSplit> splits = reported.getOrDefault(subtask, List.of());
            if (!failed.contains(subtask)) {
              readers.put(subtask, ReaderInfo.createReaderInfo(subtask, "host", splits));
            }
          }
          return readers;
        }
      };
  private RingEnumerator enumerator = enumerator(false, RingEnumeratorState.NEW);

  private RingEnumerator enumerator(boolean bounded, RingEnumeratorState restored) {
    FpgaSourceBuilder source = FpgaSource.builder().ringDirectory(Path.of(DIRECTORY));
    return RingEnumerator.create(
        context, (bounded ? source.bounded() : source).build().options(), restored);
  }

  private void come(int subtask) {
    context.registerReader(subtask, "host");
    enumerator.addReader(subtask);
  }

  private void see(int subtask, long look, int... rings) {
    List<RingSighting> seen =
        Arrays.stream(rings)
            .mapToObj(
                ring ->
                    new RingSighting(
                        StreamNumber.of(1, ring),
                        new RingName("host", DIRECTORY, ring),
                        2,
                        7,
                        List.of(),
                        true))
            .toList();
    enumerator.handleSourceEvent(subtask, new RingsSeenEvent("host", seen, look));
  }

  private List<Long> looksAskedOf(int subtask) {
    return context.getSentEvents().getOrDefault(subtask, List.of()).stream()
        .filter(LookAgainEvent.class::isInstance)
        .map(event -> ((LookAgainEvent) event).look())
        .toList();
  }

  @Test
  void shouldAskAllReadersToLookAgainAboutWhatSomeDoNotSee() {
    come(0);
    come(1);
    see(0, 0);
    see(1, 0, 0, 1);
    assertThat(looksAskedOf(0)).hasSize(1).isEqualTo(looksAskedOf(1));
    assertThat(context.getSplitAssignments()).isEmpty();
    see(1, 2, 0, 1);
    see(0, 2, 0, 1);
    assertThat(context.getSplitAssignments()).containsOnlyKeys(0, 1);
  }

  /** The one before it may have gone with the question. */
  @Test
  void shouldAskAReaderThatComesAgain() {
    come(0);
    come(1);
    see(0, 0);
    see(1, 0, 0, 1);
    fail(0);
    comeBack(0);
    assertThat(looksAskedOf(0)).hasSize(2);
    assertThat(looksAskedOf(0).getLast()).isEqualTo(looksAskedOf(1).getLast());
  }

  @Test
  void shouldForgetARingThatItsReaderNoLongerFollows() {
    come(0);
    come(1);
    see(0, 0, 0, 1);
    see(1, 0, 0, 1);
    long stream = StreamNumber.of(1, 1);
    see(0, 0, 0);
    see(1, 0, 0);
    enumerator.handleSourceEvent(0, new RingForgottenEvent(stream));
    assertThat(enumerator.snapshotState(1).assigned()).as("subtask 1 reads it").containsKey(stream);
    enumerator.handleSourceEvent(1, new RingForgottenEvent(stream));
    assertThat(enumerator.snapshotState(2).assigned()).doesNotContainKey(stream);
  }

  /** Readers report only what has changed. */
  @Test
  void shouldAssignARingAnewThatCameBackBeforeItWasForgotten() {
    come(0);
    come(1);
    see(0, 0, 0, 1);
    see(1, 0, 0, 1);
    List<RingSplit> assigned = context.getSplitAssignments().get(1).getAssignedSplits();
    assertThat(assigned).hasSize(1);
    enumerator.handleSourceEvent(1, new RingForgottenEvent(StreamNumber.of(1, 1)));
    assertThat(assigned).hasSize(2);
    assertThat(assigned.getLast().start()).isEqualTo(RingStart.OLDEST);
  }

  private long toldToEnd(int subtask) {
    return context.getSentEvents().getOrDefault(subtask, List.of()).stream()
        .filter(AllReadersDoneEvent.class::isInstance)
        .count();
  }

  private void fail(int subtask, RingSplit... returned) {
    enumerator.addSplitsBack(List.of(returned), subtask);
  }

  private void comeBack(int subtask, RingSplit... restored) {
    reported.put(subtask, List.of(restored));
    failed.remove(subtask);
    enumerator.addReader(subtask);
  }

  private void bothReadABoundedRun() {
    enumerator = enumerator(true, RingEnumeratorState.NEW);
    come(0);
    come(1);
    see(0, 0, 0, 1);
    see(1, 0, 0, 1);
  }

  private void done(int subtask) {
    enumerator.handleSourceEvent(subtask, new ReaderDoneEvent());
  }

  @Test
  void shouldLetReadersEndWhenAllAreDone() throws Exception {
    bothReadABoundedRun();
    done(0);
    assertThat(toldToEnd(0) + toldToEnd(1)).isZero();
    assertThat(enumerator.snapshotState(1).isAllRead()).isFalse();
    fail(0);
    comeBack(0);
    done(1);
    assertThat(toldToEnd(0) + toldToEnd(1)).as("one has come anew").isZero();
    done(0);
    done(0);
    assertThat(toldToEnd(0)).isEqualTo(1);
    assertThat(toldToEnd(1)).isEqualTo(1);
    assertThat(enumerator.snapshotState(2).isAllRead()).isTrue();
  }

  private void bothHaveReadAll() {
    bothReadABoundedRun();
    done(0);
    done(1);
    assertThat(List.of(toldToEnd(0), toldToEnd(1))).containsExactly(1L, 1L);
  }

  private static RingSplit split(int ring) {
    RingName name = new RingName("host", DIRECTORY, ring);
    return new RingSplit(StreamNumber.of(1, ring), name, 2, RingStart.OLDEST);
  }

  /** Its ring had ended before the checkpoint, the other's had not. */
  @Test
  void shouldNotLetOneReaderEndBeforeItIsKnownWhatTheOtherGoesBackTo() throws Exception {
    bothHaveReadAll();
    fail(0);
    fail(1);
    comeBack(0);
    comeBack(1, split(1));
    assertThat(List.of(toldToEnd(0), toldToEnd(1))).containsExactly(1L, 1L);
    assertThat(enumerator.snapshotState(1).isAllRead()).isFalse();
  }

  @Test
  void shouldLetReadersEndThatHaveNothingToGoBackTo() {
    bothHaveReadAll();
    fail(0);
    fail(1);
    comeBack(0);
    comeBack(1);
    assertThat(List.of(toldToEnd(0), toldToEnd(1))).containsExactly(2L, 2L);
  }

  /** No checkpoint was completed: what they had got is returned, and read from the beginning. */
  @Test
  void shouldNotLetReadersEndThatGetAgainWhatTheyHadRead() {
    bothHaveReadAll();
    fail(0, split(0));
    fail(1, split(1));
    comeBack(0);
    comeBack(1);
    assertThat(List.of(toldToEnd(0), toldToEnd(1))).containsExactly(1L, 1L);
    see(0, 0, 0, 1);
    see(1, 0, 0, 1);
    done(0);
    done(1);
    assertThat(List.of(toldToEnd(0), toldToEnd(1))).containsExactly(2L, 2L);
  }

  /** Flink returns what it had got when it starts it again, a while after it failed. */
  @Test
  void shouldNotLetAReaderEndWhileAnotherHasFailed() {
    bothReadABoundedRun();
    done(0);
    failed.add(0);
    done(1);
    assertThat(toldToEnd(1)).isZero();
    fail(0, split(0));
    comeBack(0);
    see(0, 0, 0, 1);
    assertThat(toldToEnd(1)).isZero();
    done(0);
    assertThat(List.of(toldToEnd(0), toldToEnd(1))).containsExactly(1L, 1L);
  }

  /** On two hosts, of which the other's reader has ended and looks at nothing any more. */
  @Test
  void shouldReadAgainWhatAReaderAloneSeesWhenTheOtherHasEnded() {
    enumerator = enumerator(true, RingEnumeratorState.NEW);
    come(0);
    come(1);
    see(0, 2, 0);
    see(1, 2, 1);
    done(0);
    done(1);
    fail(0, split(0));
    comeBack(0);
    see(0, 0, 0);
    long look = looksAskedOf(0).getLast();
    see(0, look, 0);
    assertThat(context.getSplitAssignments().get(0).getAssignedSplits()).hasSize(2);
    done(0);
    assertThat(toldToEnd(0)).isEqualTo(2);
  }

  /** Others had ended before, and Flink does not start them again. */
  @Test
  void shouldLetAReaderEndThatAloneComesAgain() throws Exception {
    RingEnumeratorState state = new RingEnumeratorState(List.of(), Map.of(), true, true, true);
    enumerator = enumerator(true, state);
    come(1);
    assertThat(toldToEnd(1)).isEqualTo(1);
    assertThat(context.getSplitAssignments().get(1).hasReceivedNoMoreSplitsSignal()).isTrue();
  }

  /** From a savepoint of a bounded run that had read all, without an end now. */
  @Test
  void shouldNotLetAReaderEndThatShallReadOn() throws Exception {
    enumerator = enumerator(false, new RingEnumeratorState(List.of(), Map.of(), true, true, true));
    come(0);
    come(1);
    see(0, 0, 0, 1);
    see(1, 0, 0, 1);
    assertThat(toldToEnd(0) + toldToEnd(1)).isZero();
    assertThat(context.getSplitAssignments().values())
        .hasSize(2)
        .noneMatch(assignment -> assignment.hasReceivedNoMoreSplitsSignal());
    assertThat(enumerator.snapshotState(1).isAllRead()).isFalse();
  }

  @Test
  void shouldNotLetAReaderEndThatGoesBackToWhatItHadNotRead() throws Exception {
    enumerator = enumerator(true, new RingEnumeratorState(List.of(), Map.of(), true, true, true));
    reported.put(0, List.of(split(0)));
    come(0);
    assertThat(toldToEnd(0)).isZero();
    assertThat(enumerator.snapshotState(1).isAllRead()).isFalse();
  }
}
