// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.TestTap;
import dev.flowstone.connector.fpga.rings.MemoryRing;
import dev.flowstone.connector.fpga.split.RingSplit;
import java.time.Duration;
import java.util.List;
import org.apache.flink.core.io.InputStatus;
import org.junit.jupiter.api.Test;

/** The watermarks of a reader's rings, and how it dates losses. */
class ReaderTimeTest extends ReaderOnMemoryRings {
  /** A card's clock before it was set: every packet after it would be late. */
  @Test
  void shouldNotLetWatermarksFollowATimeThatIsNotTrusted() {
    MemoryRing ring = rings.start(0, SLOTS_LOG2);
    ring.tellUntrustedTime(TestTap.START_NS + 1_000_000_000_000L);
    ring.write(0, 1, TestTap.START_NS);
    RingSourceReader<PacketBlock> reader = readerOf(split(0));
    assertThat(output.watermarks).isEmpty();
    ring.tellTime(TestTap.START_NS);
    drain(reader);
    assertThat(output.watermarks).containsExactly(START_MS - 101);
  }

  /** A watermark says that nothing more comes of its whole millisecond. */
  @Test
  void shouldLeaveTheMillisecondOpenThatATimeIsIn() {
    options.outOfOrderness(Duration.ZERO);
    MemoryRing ring = rings.start(0, SLOTS_LOG2);
    RingSourceReader<PacketBlock> reader = readerOf(split(0));
    ring.tellTime(TestTap.START_NS + 999_300);
    drain(reader);
    assertThat(output.watermarks).containsExactly(START_MS - 1);
  }

  @Test
  void shouldCountFractionsOfAMillisecondThatPacketsMayBeLate() {
    options.outOfOrderness(Duration.ofNanos(999_301));
    MemoryRing ring = rings.start(0, SLOTS_LOG2);
    RingSourceReader<PacketBlock> reader = readerOf(split(0));
    ring.tellTime(TestTap.START_NS + 999_300);
    drain(reader);
    assertThat(output.watermarks).containsExactly(START_MS - 2);
  }

  @Test
  void shouldLetWatermarksPassAnEndedRing() {
    MemoryRing ring = ring(0);
    ring.end(TestTap.START_NS + 3_000_000_000L);
    readerOf(split(0));
    assertThat(output.watermarks.getLast()).isEqualTo(START_MS + 3000);
    assertThat(output.idle).isTrue();
  }

  /** A ring that comes later would be late else. */
  @Test
  void shouldHoldTheTimeOfABoundedRunUntilAllItsRingsAreThere() {
    options.bounded();
    MemoryRing first = ring(0);
    ring(1);
    RingSourceReader<PacketBlock> reader = readerOf(split(0));
    assertThat(output.splits).hasSize(2).contains(split(0).splitId());
    reader.addSplits(List.of(split(1)));
    reader.notifyNoMoreSplits();
    first.write(0, 5, TestTap.START_NS);
    assertThat(reader.pollNext(output)).isEqualTo(InputStatus.MORE_AVAILABLE);
    assertThat(output.splits)
        .as("also the one that was not read yet")
        .containsExactlyInAnyOrder(split(0).splitId(), split(1).splitId());
  }

  /** Or a packet that was late would not be, and tell of its interval once more. */
  @Test
  void shouldGoOnWithTheTimeThatItKnewBeforeARestart() {
    MemoryRing ring = ring(0);
    ring.write(0, 5, TestTap.START_NS);
    ring.tellTime(TestTap.START_NS + 5_000_000_000L);
    RingSplit remembered = readAndStop(split(0));
    long known = output.watermarks.getLast();
    assertThat(known).isGreaterThan(START_MS + 4_000);
    output.watermarks.clear();
    output.blocks.clear();
    output.blocksBeforeWatermark = 0;

    ring.write(5, 1, TestTap.START_NS);
    readerOf(remembered);
    assertThat(output.watermarks).containsExactly(known);
    assertThat(output.blocksBeforeWatermark).isZero();
    assertThat(output.blocks).hasSize(1);
  }

  @Test
  void shouldNotHoldTheTimeOfARunWithoutEnd() {
    ring(0);
    readerOf(split(0));
    assertThat(output.splits).containsExactly(split(0).splitId());
  }

  /** What was missed of it is known, but not when: nobody will say any more. */
  @Test
  void shouldTellTheLossOfABoundedRingThatItsTapGaveUp() {
    options.bounded();
    MemoryRing former = ring(1);
    former.write(0, 100, TestTap.START_NS);
    RingSplit read = readAndStop(split(1));
    former.write(100, 50, TestTap.START_NS);
    rings.start(1, SLOTS_LOG2);
    RingSourceReader<PacketBlock> reader = readerOf(read);
    assertThat(output.lost()).isZero();
    ring(0);
    rings.shrinkTo(1);
    ring(0);
    letEnd(reader);
    pollUntil(reader, () -> drain(reader) == InputStatus.END_OF_INPUT);
    assertThat(output.lost()).isEqualTo(50);
  }

  /** It would be late else, and Flink drops what is late without a word. */
  @Test
  void shouldTellALossBeforeTheTimeThatFollowsIt() {
    MemoryRing ring = ring(0);
    RingSourceReader<PacketBlock> reader = readerOf(split(0));
    loseSome(ring, reader);
    ring.tellTime(TestTap.START_NS + 5_000_000_000L);
    drain(reader);
    assertThat(output.watermarks.getLast()).isGreaterThan(START_MS);
    assertThat(output.blocks.getLast().lossBefore().inRing()).isPositive();
    assertThat(output.blocksBeforeWatermark).isEqualTo(output.blocks.size());
  }

  @Test
  void shouldTellALossThatNothingFollows() {
    MemoryRing ring = ring(0);
    RingSourceReader<PacketBlock> reader = readerOf(split(0));
    loseSome(ring, reader);
    ring.tellLoss();
    drain(reader);
    assertThat(output.lost()).isPositive();
  }

  /** What the ring has no room for, told by nobody yet; then there is room again. */
  private void loseSome(MemoryRing ring, RingSourceReader<PacketBlock> reader) {
    ring.write(0, 2 << SLOTS_LOG2, TestTap.START_NS);
    drain(reader);
    reader.snapshotState(1);
    reader.notifyCheckpointComplete(1);
    assertThat(output.lost()).isZero();
  }

  @Test
  void shouldLetWatermarksPassASilentRingUntilItSpeaksAgain() {
    options.idleTimeout(Duration.ZERO);
    MemoryRing ring = ring(0);
    RingSourceReader<PacketBlock> reader = readerOf(split(0));
    drain(reader);
    assertThat(output.idle).isTrue();
    ring.write(0, 1, TestTap.START_NS);
    reader.pollNext(output);
    assertThat(output.idle).isFalse();
  }

  /** Flink keeps the watermarks of an idle output back, the last of all too. */
  @Test
  void shouldEndTheTimeOfABoundedRingWithoutBeingIdle() {
    options.bounded();
    MemoryRing ring = ring(0);
    ring.end(TestTap.START_NS + 3_000_000_000L);
    RingSourceReader<PacketBlock> reader = reader();
    reader.addSplits(List.of(split(0)));
    letEnd(reader);
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
    letEnd(reader);
    assertThat(drain(reader)).isEqualTo(InputStatus.END_OF_INPUT);
    assertThat(output.watermarks.getLast()).isEqualTo(Long.MAX_VALUE);
    assertThat(output.idle).isFalse();
  }

  @Test
  void shouldCountLossesOfARingThatWasFullDuringACheckpoint() {
    MemoryRing ring = ring(0);
    RingSourceReader<PacketBlock> reader = readerOf(split(0));
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
    RingSourceReader<PacketBlock> reader = readerOf(split(0));
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

  /** A former incarnation's losses are known before the new one has told any time. */
  @Test
  void shouldHoldALossUntilTheRingsTimeIsKnown() {
    ring(0).write(0, 100, TestTap.START_NS);
    RingSplit read = readAndStop(split(0));
    ring(0).write(100, 50, TestTap.START_NS);
    MemoryRing latest = rings.start(0, SLOTS_LOG2);
    output.blocks.clear();
    output.timestamps.clear();
    RingSourceReader<PacketBlock> second = readerOf(read);
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
    RingSplit read = readAndStop(split(0));
    former.write(0, 50, TestTap.START_NS);
    rings.start(0, SLOTS_LOG2).end();
    readerOf(read);
    assertThat(output.lost()).isEqualTo(50);
    assertThat(output.timestamps).containsExactly(START_MS);
  }
}
