// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.ChainedByFlow;
import dev.flowstone.connector.fpga.ReleaseMode;
import dev.flowstone.connector.fpga.TestTap;
import dev.flowstone.connector.fpga.enumerator.RingForgottenEvent;
import dev.flowstone.connector.fpga.rings.MemoryRing;
import dev.flowstone.connector.fpga.rings.MemoryRings;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.offheap.ring.RingStart;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.io.InputStatus;
import org.junit.jupiter.api.Test;

/** How a reader goes on when a ring is made anew, or is there no more. */
class ReaderIncarnationsTest extends ReaderOnMemoryRings {
  @Test
  void shouldDrainAReplacedIncarnationAndGoOnInTheNext() {
    MemoryRing former = ring(0);
    former.write(0, 10, TestTap.START_NS);
    RingSourceReader<PacketBlock> reader = readerOf(split(0));
    former.write(10, 5, TestTap.START_NS);
    MemoryRing next = ring(0);
    next.write(15, 20, TestTap.START_NS);
    pollUntil(reader, () -> output.packets() == 35);
    assertThat(output.lost()).isZero();
    PacketBlock ofFormer = output.blocks.getFirst();
    assertThat(ofFormer.incarnation()).isNotEqualTo(output.blocks.getLast().incarnation());
    assertThat(ofFormer.timeNs(0)).as("still mapped").isEqualTo(TestTap.START_NS);
  }

  @Test
  void shouldCountWhatARestartMissedOfFormerIncarnations() {
    ring(0).write(0, 10, TestTap.START_NS);
    RingSplit split = readAndStop(split(0));
    output.blocks.clear();
    ring(0).write(10, 100, TestTap.START_NS);
    ring(0).write(110, 7, TestTap.START_NS);
    readerOf(split);
    assertThat(output.packets()).isEqualTo(7);
    assertThat(output.lost()).isEqualTo(100);
  }

  @Test
  void shouldCountThatNobodyKnowsWhatARestartMissed() {
    ring(0).write(0, 10, TestTap.START_NS);
    RingSplit split = readAndStop(split(0));
    for (int restart = 0; restart <= RingFileHeaderLayout.LINEAGE_ENTRIES; restart++) {
      ring(0);
    }
    readerOf(split);
    assertThat(counted(RingMetrics.INCARNATION_CHANGES)).isEqualTo(1);
    assertThat(counted(RingMetrics.MISSED_UNKNOWN)).isEqualTo(1);
  }

  /** What was read before would be gone with the failure, for its ring is. */
  @Test
  void shouldKeepWhatWasReadBeforeItFailsOverARingThatIsAnotherSubtasksNow() {
    RingSourceReader<PacketBlock> reader = readerOfSecondHalf(true);
    ring(1).write(0, 10, TestTap.START_NS);
    reader.addSplits(List.of(split(1)));
    pollUntil(reader, () -> output.packets() == 10);
    reader.snapshotState(1);
    MemoryRing next = secondOfFour();
    pollUntil(reader, next::isReaderClosed);
    reader.notifyCheckpointComplete(1);
    drain(reader); // that checkpoint began before
    reader.snapshotState(2);
    reader.notifyCheckpointComplete(2);
    drain(reader); // others may be behind
    step(RingFollower.OTHERS_BEHIND_NS);
    reader.snapshotState(3);
    reader.notifyCheckpointAborted(3);
    drain(reader);
    RingSplit kept = snapshot(reader, 4);
    drain(reader);
    reader.notifyCheckpointComplete(4);
    assertThatThrownBy(() -> drain(reader))
        .hasMessageContainingAll(
            "other rings than before", "ring 1 of 4", "subtask 1 of 2", "--ring-count");
    reader.close();
    readerOf(kept);
    assertThat(output.packets()).isEqualTo(10 + 7);
    assertThat(output.lost()).isZero();
  }

  /** Its former ring was gone for a while. */
  @Test
  void shouldKeepWhatWasReadAlsoWhereSuchARingComesLater() {
    RingSourceReader<PacketBlock> reader = readerOfSecondHalf(true);
    MemoryRing former = ring(1);
    former.write(0, 10, TestTap.START_NS);
    former.end(TestTap.START_NS + 1);
    reader.addSplits(List.of(split(1)));
    pollUntil(reader, () -> output.packets() == 10);
    rings.remove(1);
    pollUntil(reader, former::isReaderRetired);
    MemoryRing next = secondOfFour();
    pollUntil(reader, next::isReaderClosed);
    drain(reader);
    step(RingFollower.OTHERS_BEHIND_NS);
    reader.snapshotState(1);
    reader.notifyCheckpointComplete(1);
    assertThatThrownBy(() -> drain(reader)).hasMessageContaining("ring 1 of 4");
  }

  @Test
  void shouldFailAtOnceOverSuchARingWithoutCheckpoints() {
    RingSourceReader<PacketBlock> reader = readerOfSecondHalf(false);
    ring(1).write(0, 10, TestTap.START_NS);
    reader.addSplits(List.of(split(1)));
    pollUntil(reader, () -> output.packets() == 10);
    secondOfFour();
    assertThatThrownBy(() -> pollUntil(reader, () -> false)).hasMessageContaining("ring 1 of 4");
  }

  /** Else its tap would wait, or drop packets, for a job that never reads it. */
  @Test
  void shouldHoldNoSpaceOfARingThatWasNeverItsOwn() {
    RingSourceReader<PacketBlock> reader = readerOfSecondHalf(true);
    MemoryRing others = secondOfFour();
    reader.addSplits(List.of(split(1)));
    drain(reader);
    assertThat(others.isReaderClosed()).isTrue();
    assertThat(others.isHeld()).isFalse();
    assertThatThrownBy(() -> drain(reader)).hasMessageContaining("ring 1 of 4");
  }

  /** Of two subtasks that have their own flows alone. */
  private RingSourceReader<PacketBlock> readerOfSecondHalf(boolean checkpointing) {
    ChainedByFlow.require(options);
    return reader(
        checkpointing, new JobFacts.Subtask(1, 2, MemoryRing.KEY_GROUPS), PacketBlockEmitter::new);
  }

  private MemoryRing secondOfFour() {
    rings.growTo(4);
    MemoryRing next = ring(1);
    next.write(10, 7, TestTap.START_NS);
    return next;
  }

  /** Nobody would have their memory for as long as the process lives. */
  @Test
  void shouldCloseTheRingsOfAllIncarnationsWithTheReader() {
    MemoryRing former = ring(0);
    RingSourceReader<PacketBlock> reader = readerOf(split(0));
    MemoryRing latest = ring(0);
    latest.write(0, 1, TestTap.START_NS);
    pollUntil(reader, () -> output.packets() == 1);
    assertThat(former.isReaderClosed()).as("no checkpoint completed yet").isFalse();
    reader.close();
    assertThat(former.isReaderClosed()).isTrue();
    assertThat(latest.isReaderClosed()).isTrue();
  }

  @Test
  void shouldWaitForARingThatVanished() {
    ring(0).write(0, 10, TestTap.START_NS);
    RingSplit split = readAndStop(split(0));
    output.blocks.clear();
    rings.remove(0);
    RingSourceReader<PacketBlock> second = reader();
    second.addSplits(List.of(split));
    assertThat(drain(second)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
    assertThat(second.snapshotState(2)).containsExactly(split);
    ring(0).write(10, 5, TestTap.START_NS);
    pollUntil(second, () -> output.packets() == 5);
    assertThat(output.lost()).isZero();
  }

  /** A bounded job would wait for ever for the ring that nobody fills any more. */
  @Test
  void shouldEndARingThatItsTapGaveUp() {
    options.bounded();
    ring(0);
    ring(1).write(0, 10, TestTap.START_NS);
    RingSplit split = readAndStop(split(1));
    rings.shrinkTo(1);
    ring(0).end(TestTap.START_NS);
    RingSourceReader<PacketBlock> second = reader();
    second.addSplits(List.of(split(0), split));
    letEnd(second);
    assertThat(drain(second)).isEqualTo(InputStatus.END_OF_INPUT);
    assertThat(counted(RingMetrics.MISSED_UNKNOWN)).as("of ring 1 nobody knows").isEqualTo(1);
  }

  /** For each tap that a folder ever had, rings would be looked for as long as the job runs. */
  @Test
  void shouldForgetARingThatIsGoneForGood() {
    ring(0);
    ring(1).write(0, 10, TestTap.START_NS);
    RingSplit split = readAndStop(split(1));
    rings.shrinkTo(1);
    RingSourceReader<PacketBlock> second = readerOf(split(0), split);
    step(RingFollower.FORGET_AFTER_NS / 2);
    drain(second);
    assertThat(second.snapshotState(2)).hasSize(2).contains(split);
    assertThat(output.splits).contains(split.splitId());
    step(RingFollower.FORGET_AFTER_NS / 2);
    drain(second);
    assertThat(second.snapshotState(3))
        .extracting(RingSplit::stream)
        .containsExactly(MemoryRings.stream(0));
    assertThat(context.getSentEvents()).contains(new RingForgottenEvent(MemoryRings.stream(1)));
    assertThat(output.splits).doesNotContain(split.splitId());
  }

  /** A tap that never said its last word may still write for a while. */
  @Test
  void shouldGiveUpTheMemoryOfARingThatWasRemovedWithoutAnEnd() {
    MemoryRing ring = ring(0);
    RingFollower<PacketBlock> follower = follower(split(0), ReleaseMode.ON_READ);
    long seconds = TimeUnit.SECONDS.toNanos(1);
    follower.step(output, 0);
    follower.step(output, 1 * seconds);
    rings.remove(0);
    follower.step(output, 2 * seconds);
    follower.step(output, 3 * seconds);
    follower.step(output, 11 * seconds);
    assertThat(ring.isReaderClosed()).as("after nine seconds").isFalse();
    follower.step(output, 13 * seconds);
    assertThat(ring.isReaderClosed()).isTrue();
    follower.close();
  }

  /** Nobody would have it for as long as the job runs. */
  @Test
  void shouldGiveUpTheMemoryOfARingThatEndedAndWasRemoved() {
    MemoryRing ring = ring(0);
    ring.write(0, 10, TestTap.START_NS);
    ring.end(TestTap.START_NS + 1);
    RingSourceReader<PacketBlock> reader = readerOf(split(0));
    rings.remove(0);
    pollUntil(reader, ring::isReaderRetired);
    RingSplit kept = snapshot(reader, 1);
    assertThat(kept.start()).isInstanceOf(RingStart.Resume.class);
    assertThat(ring.isReaderClosed()).as("operators may still refer to it").isFalse();
    reader.notifyCheckpointComplete(1);
    assertThat(ring.isReaderClosed()).isTrue();
  }

  /** Its memory goes with the next checkpoint: who shows life there then fails for all rings. */
  @Test
  void shouldShowNoLifeInARingThatWasReplaced() throws Exception {
    MemoryRing former = ring(0);
    RingSourceReader<PacketBlock> reader = readerOf(split(0));
    MemoryRing latest = ring(0);
    latest.write(0, 1, TestTap.START_NS);
    pollUntil(reader, () -> output.packets() == 1);
    int atItsEnd = former.signsOfLife();
    awaitHeartbeats(latest, 20);
    assertThat(former.signsOfLife()).isEqualTo(atItsEnd);
    reader.close();
  }

  /** Their memory is nobody else's until a checkpoint completes. */
  @Test
  void shouldReadNoMoreIncarnationsThanMayWaitForACheckpoint() {
    RingSourceReader<PacketBlock> reader = reader();
    reader.addSplits(List.of(split(0)));
    int most = RetiredRings.MOST_RETIRED + 1;
    for (int incarnation = 1; incarnation <= most; incarnation++) {
      int packets = incarnation;
      ring(0).write(incarnation, 1, TestTap.START_NS);
      pollUntil(reader, () -> output.packets() == packets);
    }
    ring(0).write(0, 1, TestTap.START_NS);
    for (int polls = 0; polls < 10; polls++) {
      step(STEP_NS);
      drain(reader);
    }
    assertThat(output.packets()).isEqualTo(most);
    reader.snapshotState(1);
    reader.notifyCheckpointComplete(1);
    pollUntil(reader, () -> output.packets() == most + 1);
  }
}
