// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.ChainedByFlow;
import dev.flowstone.connector.fpga.EndingPosition;
import dev.flowstone.connector.fpga.TestTap;
import dev.flowstone.connector.fpga.enumerator.AllReadersDoneEvent;
import dev.flowstone.connector.fpga.enumerator.LookAgainEvent;
import dev.flowstone.connector.fpga.enumerator.ReaderDoneEvent;
import dev.flowstone.connector.fpga.enumerator.RingsSeenEvent;
import dev.flowstone.connector.fpga.rings.MemoryRing;
import dev.flowstone.connector.fpga.rings.MemoryRings;
import dev.flowstone.connector.fpga.rings.RingRun;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.offheap.ring.RingFileException;
import dev.flowstone.offheap.ring.RingIdentity;
import dev.flowstone.offheap.ring.RingProgress;
import dev.flowstone.offheap.ring.RingStart;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.core.io.InputStatus;
import org.junit.jupiter.api.Test;

/** How a reader finds its rings, takes turns between them, and waits. */
class RingSourceReaderTest extends ReaderOnMemoryRings {
  @Test
  void shouldTellWhatItSeesOnlyWhenThatChanged() {
    ring(0);
    options.discoveryInterval(Duration.ZERO);
    RingSourceReader<PacketBlock> reader = reader();
    assertThat(context.getSentEvents()).hasSize(1);
    step(STEP_NS);
    reader.pollNext(output);
    assertThat(context.getSentEvents()).hasSize(1);
    ring(1);
    step(STEP_NS);
    reader.pollNext(output);
    assertThat(context.getSentEvents()).hasSize(2);
    RingsSeenEvent event = (RingsSeenEvent) context.getSentEvents().get(1);
    assertThat(event.host()).isEqualTo(MemoryRings.HOST);
    assertThat(event.sightings()).hasSize(2);
  }

  @Test
  void shouldTellWhatItSeesWhenItIsAsked() {
    ring(0);
    RingSourceReader<PacketBlock> reader = reader();
    reader.handleSourceEvents(new LookAgainEvent(3));
    assertThat(context.getSentEvents()).hasSize(2);
    RingsSeenEvent event = (RingsSeenEvent) context.getSentEvents().get(1);
    assertThat(event.look()).isEqualTo(3);
    assertThat(event.sightings()).hasSize(1);
  }

  @Test
  void shouldEmitBlocksByReferenceWithTheRingsTime() {
    MemoryRing ring = ring(1);
    ring.write(0, 700, TestTap.START_NS + 5_000_000);
    options.blockRecords(500);
    readerOf(split(1));
    assertThat(output.blocks).extracting(PacketBlock::count).containsExactly(500, 200);
    assertThat(output.blocks).extracting(PacketBlock::ring).containsExactly(1, 1);
    assertThat(output.blocks.get(1).positionOf(199)).isEqualTo(700);
    assertThat(output.timestamps).containsExactly(START_MS + 5, START_MS + 5);
    assertThat(output.watermarks).containsExactly(START_MS - 101);
  }

  @Test
  void shouldTakeTurnsBetweenRings() {
    ring(0).write(0, 30, TestTap.START_NS);
    ring(1).write(0, 30, TestTap.START_NS);
    options.blockRecords(10);
    readerOf(split(0), split(1));
    assertThat(output.blocks).extracting(PacketBlock::ring).containsExactly(0, 1, 0, 1, 0, 1);
    assertThat(output.splits).hasSize(2);
  }

  @Test
  void shouldBeAvailableAgainWhenItsTimerEnds() {
    MemoryRing ring = ring(0);
    RingSourceReader<PacketBlock> reader = reader();
    reader.addSplits(List.of(split(0)));
    assertThat(drain(reader)).isEqualTo(InputStatus.NOTHING_AVAILABLE);
    CompletableFuture<Void> available = reader.isAvailable();
    assertThat(reader.isAvailable()).isSameAs(available).isNotDone();
    timer.complete(null);
    assertThat(available).isDone();
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
    assertThat(context.getSentEvents()).noneMatch(ReaderDoneEvent.class::isInstance);
    for (int again = 0; again < 3; again++) {
      assertThat(drain(reader)).as("others read on").isEqualTo(InputStatus.NOTHING_AVAILABLE);
    }
    assertThat(output.watermarks.getLast()).isEqualTo(Long.MAX_VALUE);
    assertThat(context.getSentEvents()).filteredOn(ReaderDoneEvent.class::isInstance).hasSize(1);
    assertThat(reader.snapshotState(1)).isEmpty();
    available = reader.isAvailable();
    reader.handleSourceEvents(new AllReadersDoneEvent());
    assertThat(available).isDone();
    assertThat(drain(reader)).isEqualTo(InputStatus.END_OF_INPUT);
    reader.close();
    assertThat(first.isHeld()).isFalse();
  }

  @Test
  void shouldEndWithWhatARingHeldWhenItWasOpened() throws Exception {
    options.endingPosition(EndingPosition.LATEST).blockRecords(4);
    MemoryRing ring = ring(0);
    MemoryRing empty = ring(1);
    ring.write(0, 10, TestTap.START_NS);
    RingSourceReader<PacketBlock> reader = reader();
    reader.addSplits(List.of(split(0), split(1)));
    reader.notifyNoMoreSplits();
    // Opens both.
    reader.pollNext(output);
    reader.pollNext(output);
    ring.write(10, 5, TestTap.START_NS);
    empty.write(0, 5, TestTap.START_NS);
    drain(reader);
    reader.handleSourceEvents(new AllReadersDoneEvent());

    assertThat(drain(reader)).isEqualTo(InputStatus.END_OF_INPUT);
    assertThat(output.packets()).isEqualTo(10);
    assertThat(output.watermarks.getLast()).isEqualTo(Long.MAX_VALUE);
    assertThat(ring.isHeld()).as("operators may still refer to it").isTrue();
    reader.snapshotState(1);
    reader.notifyCheckpointComplete(1);
    assertThat(ring.isHeld()).as("the tap goes on").isFalse();
  }

  @Test
  void shouldSendHeartbeatsUntilItIsClosed() throws Exception {
    MemoryRing ring = ring(0);
    MemoryRing ofAnother = ring(1);
    RingSourceReader<PacketBlock> reader = readerOf(split(0));
    readerOf(split(1));
    awaitHeartbeats(ring, 2);
    reader.close();
    int atItsEnd = ring.signsOfLife();
    awaitHeartbeats(ofAnother, 20);
    assertThat(ring.signsOfLife()).isEqualTo(atItsEnd);
  }

  /** Its folder was removed and made anew; Flink leaves out metrics whose names are taken. */
  @Test
  void shouldNameTheMetricsOfARingInAnothersPlaceApart() {
    RingSourceReader<PacketBlock> reader = reader();
    RingSplit former = split(0);
    long remade = StreamNumber.of(99, 0);
    reader.addSplits(List.of(former));
    reader.addSplits(List.of(new RingSplit(remade, former.name(), 2, RingStart.OLDEST)));
    assertThat(metricGroups)
        .filteredOn(name -> name.startsWith("ring."))
        .containsExactly("ring.0", "ring.0-" + StreamNumber.text(remade));
  }

  /** Test packets belong into ring 1 of two. */
  @Test
  void shouldOnlyCountPacketsOfAnotherRingWhereTheyAreSentOn() {
    options.verifyKeyGroups(true);
    ring(0).write(0, 5, TestTap.START_NS);
    ring(1).write(0, 5, TestTap.START_NS);
    readerOf(split(0), split(1));
    assertThat(output.packets()).isEqualTo(10);
    assertThat(counted(RingMetrics.KEY_GROUP_MISMATCHES)).isEqualTo(1);
  }

  @Test
  void shouldFailForAPacketOfAnotherRingWhereOperatorsByFlowAreChained() {
    options.verifyKeyGroups(true);
    ChainedByFlow.require(options);
    ring(1).write(0, 5, TestTap.START_NS);
    readerOf(split(1));
    assertThat(output.packets()).isEqualTo(5);
    ring(0).write(0, 5, TestTap.START_NS);
    RingSourceReader<PacketBlock> reader = reader();
    reader.addSplits(List.of(split(0)));
    assertThatThrownBy(() -> drain(reader))
        .hasMessageContaining(MemoryRings.name(0) + ": the packet at position 1 of ring 0 of 2")
        .hasMessageContaining(
            "is of key group %d of 128, which Flink's assignment puts into ring 1"
                .formatted(KeyGroups.keyGroup(0, MemoryRing.KEY_GROUPS)))
        .hasMessageContaining("choose FlowExchange.ALWAYS");
    assertThat(output.packets()).isEqualTo(5);
    assertThat(counted(RingMetrics.KEY_GROUP_MISMATCHES)).isEqualTo(1);
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
          public int strayKeyGroup(RingIdentity ring, RingRun run) {
            return NOT_STRAY;
          }
        };
    RingSourceReader<PacketBlock> reader = reader(true, _ -> onCutMemory);
    reader.addSplits(List.of(split(0)));
    assertThatThrownBy(() -> drain(reader))
        .isInstanceOf(RingFileException.class)
        .hasMessageContaining(MemoryRings.name(0).toString())
        .hasMessageContaining("cut short");
    reader.close();
  }
}
