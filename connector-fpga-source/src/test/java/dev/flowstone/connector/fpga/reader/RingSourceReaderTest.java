// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import dev.flowstone.connector.fpga.ReleaseMode;
import dev.flowstone.connector.fpga.TestTap;
import dev.flowstone.connector.fpga.enumerator.RingsSeenEvent;
import dev.flowstone.connector.fpga.rings.MemoryRing;
import dev.flowstone.connector.fpga.rings.MemoryRings;
import dev.flowstone.connector.fpga.rings.RingRun;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.offheap.ring.RingFileException;
import dev.flowstone.offheap.ring.RingIdentity;
import dev.flowstone.offheap.ring.RingProgress;
import dev.flowstone.offheap.ring.RingStart;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.connector.testutils.source.reader.TestingReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.junit.jupiter.api.Test;

class RingSourceReaderTest {
  private static final long START_MS = TestTap.START_NS / 1_000_000;
  private static final int SLOTS_LOG2 = 10;

  private final MemoryRings rings = new MemoryRings(2);
  private final TestingReaderContext context = new TestingReaderContext();
  private final RecordingOutput output = new RecordingOutput();
  private final FpgaSourceBuilder options =
      FpgaSource.builder()
          .ringDirectory(Path.of(MemoryRings.DIRECTORY))
          .idleTimeout(Duration.ofHours(1))
          .verifyKeyGroups(false);

  private RingSourceReader<PacketBlock> reader() {
    return reader(true);
  }

  private RingSourceReader<PacketBlock> reader(boolean checkpointing) {
    RingSourceReader<PacketBlock> reader =
        new RingSourceReader<>(
            context,
            rings,
            options.build().options(),
            new JobFacts(
                checkpointing, Optional.of(new JobFacts.Subtask(0, 1, MemoryRing.KEY_GROUPS))),
            PacketBlockEmitter::new);
    reader.start();
    return reader;
  }

  private MemoryRing ring(int ring) {
    MemoryRing started = rings.start(ring, SLOTS_LOG2);
    started.tellTime(TestTap.START_NS);
    return started;
  }

  private static RingSplit split(int ring) {
    return new RingSplit(MemoryRings.stream(ring), MemoryRings.name(ring), 2, RingStart.OLDEST);
  }

  private InputStatus drain(RingSourceReader<PacketBlock> reader) {
    InputStatus status = InputStatus.MORE_AVAILABLE;
    while (status == InputStatus.MORE_AVAILABLE) {
      status = reader.pollNext(output);
    }
    return status;
  }

  /** Polls as Flink does, until something holds or patience ends. */
  private void pollUntil(RingSourceReader<PacketBlock> reader, BooleanSupplier condition)
      throws Exception {
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadlineNs);
      if (drain(reader) == InputStatus.NOTHING_AVAILABLE) {
        reader.isAvailable().get(1, TimeUnit.SECONDS);
      }
    }
  }

  private RingSplit snapshot(RingSourceReader<PacketBlock> reader, long checkpointId) {
    return reader.snapshotState(checkpointId).getFirst();
  }

  @Test
  void shouldTellWhatItSeesOnlyWhenThatChanged() throws Exception {
    ring(0);
    options.discoveryInterval(Duration.ZERO);
    RingSourceReader<PacketBlock> reader = reader();
    assertThat(context.getSentEvents()).hasSize(1);
    Thread.sleep(110);
    reader.pollNext(output);
    assertThat(context.getSentEvents()).hasSize(1);
    ring(1);
    Thread.sleep(110);
    reader.pollNext(output);
    assertThat(context.getSentEvents()).hasSize(2);
    RingsSeenEvent event = (RingsSeenEvent) context.getSentEvents().get(1);
    assertThat(event.host()).isEqualTo(MemoryRings.HOST);
    assertThat(event.sightings()).hasSize(2);
  }

  @Test
  void shouldEmitBlocksByReferenceWithTheRingsTime() {
    MemoryRing ring = ring(1);
    ring.write(0, 700, TestTap.START_NS + 5_000_000);
    options.blockRecords(500);
    RingSourceReader<PacketBlock> reader = reader();
    reader.addSplits(List.of(split(1)));
    drain(reader);
    assertThat(output.blocks).extracting(PacketBlock::count).containsExactly(500, 200);
    assertThat(output.blocks).extracting(PacketBlock::ring).containsExactly(1, 1);
    assertThat(output.blocks.get(1).positionOf(199)).isEqualTo(700);
    assertThat(output.timestamps).containsExactly(START_MS + 5, START_MS + 5);
    assertThat(output.watermarks).containsExactly(START_MS - 100);
  }

  @Test
  void shouldTakeTurnsBetweenRings() {
    ring(0).write(0, 30, TestTap.START_NS);
    ring(1).write(0, 30, TestTap.START_NS);
    options.blockRecords(10);
    RingSourceReader<PacketBlock> reader = reader();
    reader.addSplits(List.of(split(0), split(1)));
    drain(reader);
    assertThat(output.blocks).extracting(PacketBlock::ring).containsExactly(0, 1, 0, 1, 0, 1);
    assertThat(output.splits).hasSize(2);
  }

  @Test
  void shouldBeAvailableAgainSoonAfterItWasIdle() throws Exception {
    MemoryRing ring = ring(0);
    RingSourceReader<PacketBlock> reader = reader();
    reader.addSplits(List.of(split(0)));
    assertThat(drain(reader)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
    CompletableFuture<Void> available = reader.isAvailable();
    assertThat(reader.isAvailable()).isSameAs(available);
    available.get(1, TimeUnit.SECONDS);
    ring.write(0, 1, TestTap.START_NS);
    assertThat(reader.pollNext(output)).isEqualTo(InputStatus.MORE_AVAILABLE);
  }

  @Test
  void shouldWakeUpForANewSplitWhileIdle() {
    ring(0).write(0, 1, TestTap.START_NS);
    RingSourceReader<PacketBlock> reader = reader();
    for (int i = 0; i < 10; i++) {
      drain(reader);
    }
    CompletableFuture<Void> available = reader.isAvailable();
    assertThat(available).isNotDone();
    reader.addSplits(List.of(split(0)));
    assertThat(available).isDone();
    assertThat(reader.isAvailable()).isDone();
    drain(reader);
    assertThat(output.packets()).isEqualTo(1);
  }

  @Test
  void shouldGiveSpaceBackOnlyWhenTheCheckpointCompletes() {
    MemoryRing ring = ring(0);
    ring.write(0, 100, TestTap.START_NS);
    RingSourceReader<PacketBlock> reader = reader();
    reader.addSplits(List.of(split(0)));
    drain(reader);
    reader.snapshotState(1);
    ring.write(100, 100, TestTap.START_NS);
    drain(reader);
    reader.snapshotState(2);
    reader.notifyCheckpointAborted(2);
    assertThat(ring.heldFrom()).isZero();
    reader.notifyCheckpointComplete(1);
    assertThat(ring.heldFrom()).isEqualTo(101);
    reader.snapshotState(3);
    reader.notifyCheckpointComplete(3);
    assertThat(ring.heldFrom()).isEqualTo(201);
  }

  @Test
  void shouldSnapshotWhatWasEmittedBetweenPolls() {
    MemoryRing ring = ring(0);
    ring.write(0, 100, TestTap.START_NS);
    options.blockRecords(40);
    RingSourceReader<PacketBlock> first = reader();
    first.addSplits(List.of(split(0)));
    while (output.packets() < 40) {
      first.pollNext(output);
    }
    RingSplit split = snapshot(first, 1);
    drain(first);
    first.close();
    output.blocks.clear();
    RingSourceReader<PacketBlock> second = reader();
    second.addSplits(List.of(split));
    drain(second);
    assertThat(output.packets()).isEqualTo(60);
    assertThat(output.blocks.getFirst().firstPosition()).isEqualTo(41);
    assertThat(output.lost()).isZero();
  }

  @Test
  void shouldSnapshotASplitThatItNeverOpened() {
    RingSourceReader<PacketBlock> reader = reader();
    reader.addSplits(List.of(split(0)));
    assertThat(reader.snapshotState(1)).containsExactly(split(0));
    drain(reader);
    assertThat(reader.snapshotState(2)).containsExactly(split(0));
  }

  @Test
  void shouldGiveSpaceBackAtOnceOnReadOrWithoutCheckpoints() {
    MemoryRing ring = ring(0);
    ring.write(0, 100, TestTap.START_NS);
    RingSourceReader<PacketBlock> reader = reader(false);
    reader.addSplits(List.of(split(0)));
    drain(reader);
    assertThat(ring.heldFrom()).isEqualTo(101);
    options.release(ReleaseMode.ON_READ);
    reader = reader();
    reader.addSplits(List.of(split(0)));
    ring.write(100, 100, TestTap.START_NS);
    drain(reader);
    assertThat(ring.heldFrom()).isEqualTo(201);
  }

  @Test
  void shouldStopWhenAnotherReaderTookTheRing() {
    MemoryRing ring = ring(0);
    ring.write(0, 100, TestTap.START_NS);
    RingSourceReader<PacketBlock> zombie = reader();
    zombie.addSplits(List.of(split(0)));
    drain(zombie);
    zombie.snapshotState(1);
    RingSourceReader<PacketBlock> successor = reader();
    successor.addSplits(List.of(split(0)));
    drain(successor);
    assertThatThrownBy(() -> zombie.notifyCheckpointComplete(1))
        .isInstanceOf(RingFileException.class)
        .hasMessageContaining("another reader");
    assertThatThrownBy(() -> zombie.snapshotState(2))
        .as("a checkpoint of what another reads, too, must not complete")
        .hasMessageContaining("--reader-name");
    assertThat(ring.heldFrom()).isZero();
  }

  @Test
  void shouldCountLossesOfARingThatWasFullDuringACheckpoint() {
    MemoryRing ring = ring(0);
    RingSourceReader<PacketBlock> reader = reader();
    reader.addSplits(List.of(split(0)));
    drain(reader);
    ring.write(0, 3000, TestTap.START_NS);
    drain(reader);
    reader.snapshotState(1);
    reader.notifyCheckpointComplete(1);
    ring.write(3000, 10, TestTap.START_NS);
    drain(reader);
    assertThat(output.lost()).isPositive();
    assertThat(output.packets() + output.lost()).isEqualTo(ring.offered()).isEqualTo(3010);
    assertThat(output.blocks)
        .filteredOn(block -> !block.lossBefore().isNone())
        .singleElement()
        .satisfies(
            block ->
                assertThat(TestTap.number(block.segment(), block.offsetOf(0))).isEqualTo(3000));
  }

  @Test
  void shouldTellLossesThatNoPacketFollows() {
    MemoryRing ring = ring(0);
    RingSourceReader<PacketBlock> reader = reader();
    reader.addSplits(List.of(split(0)));
    drain(reader);
    ring.write(0, 3000, TestTap.START_NS);
    drain(reader);
    reader.snapshotState(1);
    reader.notifyCheckpointComplete(1);
    ring.tellTime(TestTap.START_NS + 1_000_000_000L);
    drain(reader);
    assertThat(output.blocks.getLast().isEmpty()).isTrue();
    assertThat(output.packets() + output.lost()).isEqualTo(3000);
    assertThat(output.timestamps.getLast()).isEqualTo(START_MS + 1000);
  }

  @Test
  void shouldDrainAReplacedIncarnationAndGoOnInTheNext() throws Exception {
    MemoryRing former = ring(0);
    former.write(0, 10, TestTap.START_NS);
    RingSourceReader<PacketBlock> reader = reader();
    reader.addSplits(List.of(split(0)));
    drain(reader);
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
  void shouldCountWhatARestartMissedOfFormerIncarnations() throws Exception {
    ring(0).write(0, 10, TestTap.START_NS);
    RingSourceReader<PacketBlock> first = reader();
    first.addSplits(List.of(split(0)));
    drain(first);
    RingSplit split = snapshot(first, 1);
    first.close();
    output.blocks.clear();
    ring(0).write(10, 100, TestTap.START_NS);
    ring(0).write(110, 7, TestTap.START_NS);
    RingSourceReader<PacketBlock> second = reader();
    second.addSplits(List.of(split));
    drain(second);
    assertThat(output.packets()).isEqualTo(7);
    assertThat(output.lost()).isEqualTo(100);
  }

  @Test
  void shouldWaitForARingThatVanished() throws Exception {
    ring(0).write(0, 10, TestTap.START_NS);
    RingSourceReader<PacketBlock> first = reader();
    first.addSplits(List.of(split(0)));
    drain(first);
    RingSplit split = snapshot(first, 1);
    first.close();
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
  void shouldEndARingThatItsTapGaveUp() throws Exception {
    options.bounded();
    ring(0);
    ring(1).write(0, 10, TestTap.START_NS);
    RingSourceReader<PacketBlock> first = reader();
    first.addSplits(List.of(split(1)));
    drain(first);
    RingSplit split = snapshot(first, 1);
    first.close();
    rings.shrinkTo(1);
    ring(0).end(TestTap.START_NS);
    RingSourceReader<PacketBlock> second = reader();
    second.addSplits(List.of(split(0), split));
    second.notifyNoMoreSplits();
    assertThat(drain(second)).isEqualTo(InputStatus.END_OF_INPUT);
  }

  @Test
  void shouldEndWhenAllRingsEndedAndNoMoreWillCome() {
    options.bounded();
    MemoryRing first = ring(0);
    MemoryRing second = ring(1);
    RingSourceReader<PacketBlock> reader = reader();
    reader.addSplits(List.of(split(0), split(1)));
    first.end(TestTap.START_NS);
    assertThat(drain(reader)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
    second.write(0, 10, TestTap.START_NS);
    second.end(TestTap.START_NS);
    assertThat(drain(reader)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
    CompletableFuture<Void> available = reader.isAvailable();
    reader.notifyNoMoreSplits();
    assertThat(available).isDone();
    assertThat(drain(reader)).isEqualTo(InputStatus.END_OF_INPUT);
    reader.close();
    assertThat(first.isHeld()).isFalse();
  }

  @Test
  void shouldHoldTheSpaceForASuccessorWhenItStopsEarly() {
    MemoryRing ring = ring(0);
    ring.write(0, 10, TestTap.START_NS);
    RingSourceReader<PacketBlock> reader = reader();
    reader.addSplits(List.of(split(0)));
    drain(reader);
    reader.close();
    assertThat(ring.isHeld()).isTrue();
  }

  /** Nobody would have it for as long as the job runs. */
  @Test
  void shouldGiveUpTheMemoryOfARingThatEndedAndWasRemoved() throws Exception {
    MemoryRing ring = ring(0);
    ring.write(0, 10, TestTap.START_NS);
    ring.end(TestTap.START_NS + 1);
    RingSourceReader<PacketBlock> reader = reader();
    reader.addSplits(List.of(split(0)));
    drain(reader);
    rings.remove(0);
    pollUntil(reader, ring::isReaderRetired);
    RingSplit kept = snapshot(reader, 1);
    assertThat(kept.start()).isInstanceOf(RingStart.Resume.class);
    assertThat(ring.isReaderClosed()).as("operators may still refer to it").isFalse();
    reader.notifyCheckpointComplete(1);
    assertThat(ring.isReaderClosed()).isTrue();
  }

  /** A card's clock before it was set: every packet after it would be late. */
  @Test
  void shouldNotLetWatermarksFollowATimeThatIsNotTrusted() {
    MemoryRing ring = rings.start(0, SLOTS_LOG2);
    ring.tellUntrustedTime(TestTap.START_NS + 1_000_000_000_000L);
    ring.write(0, 1, TestTap.START_NS);
    RingSourceReader<PacketBlock> reader = reader();
    reader.addSplits(List.of(split(0)));
    drain(reader);
    assertThat(output.watermarks).isEmpty();
    ring.tellTime(TestTap.START_NS);
    drain(reader);
    assertThat(output.watermarks).containsExactly(START_MS - 100);
  }

  @Test
  void shouldLetWatermarksPassAnEndedRing() {
    MemoryRing ring = ring(0);
    ring.end(TestTap.START_NS + 3_000_000_000L);
    RingSourceReader<PacketBlock> reader = reader();
    reader.addSplits(List.of(split(0)));
    drain(reader);
    assertThat(output.watermarks.getLast()).isEqualTo(START_MS + 3000);
    assertThat(output.idle).isTrue();
  }

  /** Flink keeps the watermarks of an idle output back, the last of all too. */
  @Test
  void shouldEndTheTimeOfABoundedRingWithoutBeingIdle() {
    options.bounded();
    MemoryRing ring = ring(0);
    ring.end(TestTap.START_NS + 3_000_000_000L);
    RingSourceReader<PacketBlock> reader = reader();
    reader.addSplits(List.of(split(0)));
    reader.notifyNoMoreSplits();
    assertThat(drain(reader)).isEqualTo(InputStatus.END_OF_INPUT);
    assertThat(output.watermarks.getLast()).isEqualTo(Long.MAX_VALUE);
    assertThat(output.idle).isFalse();
  }

  @Test
  void shouldEndTheTimeOfABoundedReaderWithoutRings() {
    options.bounded().idleTimeout(Duration.ZERO);
    RingSourceReader<PacketBlock> reader = reader();
    drain(reader);
    drain(reader);
    assertThat(output.idle).as("rings may come").isFalse();
    reader.notifyNoMoreSplits();
    assertThat(drain(reader)).isEqualTo(InputStatus.END_OF_INPUT);
    assertThat(output.watermarks.getLast()).isEqualTo(Long.MAX_VALUE);
    assertThat(output.idle).isFalse();
  }

  /** Flink would halt the TaskManager for the JVM's own error. */
  @Test
  void shouldNameTheRingWhoseMemoryIsGone() {
    ring(0).write(0, 1, TestTap.START_NS);
    RunEmitter<PacketBlock> onCutMemory =
        new RunEmitter<>() {
          @Override
          public int emit(
              RingIdentity ring,
              RingRun run,
              PacketLoss lossBefore,
              SourceOutput<PacketBlock> output) {
            throw new InternalError("a fault occurred in an unsafe memory access operation");
          }

          @Override
          public void emitLoss(
              RingProgress at, PacketLoss loss, long timeNs, SourceOutput<PacketBlock> output) {}

          @Override
          public boolean isStray(RingIdentity ring, RingRun run) {
            return false;
          }
        };
    RingSourceReader<PacketBlock> reader =
        new RingSourceReader<>(
            context,
            rings,
            options.build().options(),
            new JobFacts(true, Optional.empty()),
            _ -> onCutMemory);
    reader.start();
    reader.addSplits(List.of(split(0)));
    assertThatThrownBy(() -> drain(reader))
        .isInstanceOf(RingFileException.class)
        .hasMessageContaining(MemoryRings.name(0).toString())
        .hasMessageContaining("cut short");
    reader.close();
  }

  /** A former incarnation's losses are known before the new one has told any time. */
  @Test
  void shouldHoldALossUntilTheRingsTimeIsKnown() {
    ring(0).write(0, 100, TestTap.START_NS);
    RingSourceReader<PacketBlock> first = reader();
    first.addSplits(List.of(split(0)));
    drain(first);
    RingSplit read = snapshot(first, 1);
    first.close();
    ring(0).write(100, 50, TestTap.START_NS);
    MemoryRing latest = rings.start(0, SLOTS_LOG2);
    output.blocks.clear();
    output.timestamps.clear();
    RingSourceReader<PacketBlock> second = reader();
    second.addSplits(List.of(read));
    drain(second);
    assertThat(output.blocks).as("no time to date the loss with").isEmpty();
    latest.tellTime(TestTap.START_NS + 9_000_000_000L);
    drain(second);
    assertThat(output.lost()).isEqualTo(50);
    assertThat(output.timestamps).containsExactly(START_MS + 9_000);
  }

  /** Neither this incarnation nor a former one ever told a time. */
  @Test
  void shouldDateTheLastLossOfARingThatNeverToldATimeByItsMaking() {
    MemoryRing former = rings.start(0, SLOTS_LOG2);
    RingSourceReader<PacketBlock> first = reader();
    first.addSplits(List.of(split(0)));
    drain(first);
    RingSplit read = snapshot(first, 1);
    first.close();
    former.write(0, 50, TestTap.START_NS);
    rings.start(0, SLOTS_LOG2).end();
    RingSourceReader<PacketBlock> second = reader();
    second.addSplits(List.of(read));
    drain(second);
    assertThat(output.lost()).isEqualTo(50);
    assertThat(output.timestamps).containsExactly(START_MS);
  }

  @Test
  void shouldShowLifeWhileItsTaskWaits() throws Exception {
    MemoryRing ring = ring(0);
    RingSourceReader<PacketBlock> reader = reader();
    reader.addSplits(List.of(split(0)));
    drain(reader);
    long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (ring.signsOfLife() < 2) {
      assertThat(System.nanoTime()).isLessThan(deadlineNs);
      Thread.sleep(10);
    }
    reader.close();
    int atTheEnd = ring.signsOfLife();
    Thread.sleep(1_200);
    assertThat(ring.signsOfLife()).as("after it was closed").isEqualTo(atTheEnd);
  }

  /** Its memory goes with the next checkpoint: who shows life there then fails for all rings. */
  @Test
  void shouldShowNoLifeInARingThatWasReplaced() throws Exception {
    MemoryRing former = ring(0);
    RingSourceReader<PacketBlock> reader = reader();
    reader.addSplits(List.of(split(0)));
    drain(reader);
    MemoryRing latest = ring(0);
    latest.write(0, 1, TestTap.START_NS);
    pollUntil(reader, () -> output.packets() == 1);
    int atItsEnd = former.signsOfLife();
    pollUntil(reader, () -> latest.signsOfLife() > 0);
    assertThat(former.signsOfLife()).isEqualTo(atItsEnd);
    reader.close();
  }

  /** Their memory is nobody else's until a checkpoint completes. */
  @Test
  void shouldReadNoMoreIncarnationsThanMayWaitForACheckpoint() throws Exception {
    RingSourceReader<PacketBlock> reader = reader();
    reader.addSplits(List.of(split(0)));
    int most = RetiredRings.MOST_RETIRED + 1;
    for (int incarnation = 1; incarnation <= most; incarnation++) {
      int packets = incarnation;
      ring(0).write(incarnation, 1, TestTap.START_NS);
      pollUntil(reader, () -> output.packets() == packets);
    }
    ring(0).write(0, 1, TestTap.START_NS);
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(300);
    pollUntil(reader, () -> System.nanoTime() > deadlineNs);
    assertThat(output.packets()).isEqualTo(most);
    reader.snapshotState(1);
    reader.notifyCheckpointComplete(1);
    pollUntil(reader, () -> output.packets() == most + 1);
  }

  @Test
  void shouldLetWatermarksPassASilentRingUntilItSpeaksAgain() {
    options.idleTimeout(Duration.ZERO);
    MemoryRing ring = ring(0);
    RingSourceReader<PacketBlock> reader = reader();
    reader.addSplits(List.of(split(0)));
    drain(reader);
    drain(reader);
    assertThat(output.idle).isTrue();
    ring.write(0, 1, TestTap.START_NS);
    reader.pollNext(output);
    assertThat(output.idle).isFalse();
  }

  @Test
  void shouldNotReadAPausedSplit() {
    ring(0).write(0, 5, TestTap.START_NS);
    RingSourceReader<PacketBlock> reader = reader();
    reader.addSplits(List.of(split(0)));
    reader.pauseOrResumeSplits(List.of(split(0).splitId()), List.of());
    drain(reader);
    assertThat(output.blocks).isEmpty();
    reader.pauseOrResumeSplits(List.of(), List.of(split(0).splitId()));
    drain(reader);
    assertThat(output.packets()).isEqualTo(5);
  }
}
