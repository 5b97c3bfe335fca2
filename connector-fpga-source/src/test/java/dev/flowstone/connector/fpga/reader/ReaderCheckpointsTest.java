// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.ReleaseMode;
import dev.flowstone.connector.fpga.TestTap;
import dev.flowstone.connector.fpga.rings.MemoryRing;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.offheap.ring.RingFileException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a reader remembers, and when it gives a ring's space back. */
class ReaderCheckpointsTest extends ReaderOnMemoryRings {
  @Test
  void shouldGiveSpaceBackOnlyWhenTheCheckpointCompletes() {
    MemoryRing ring = ring(0);
    ring.write(0, 100, TestTap.START_NS);
    RingSourceReader<PacketBlock> reader = readerOf(split(0));
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
    readerOf(split);
    assertThat(output.packets()).isEqualTo(60);
    assertThat(output.blocks.getFirst().firstPosition()).isEqualTo(41);
    assertThat(output.lost()).isZero();
  }

  /** Its file may be removed: whoever goes on from there would wait for it for ever. */
  @Test
  void shouldForgetARingThatABoundedRunHasFinished() {
    options.bounded();
    MemoryRing ring = ring(0);
    ring(1);
    ring.write(0, 100, TestTap.START_NS);
    RingSourceReader<PacketBlock> reader = readerOf(split(0), split(1));
    assertThat(reader.snapshotState(1)).hasSize(2);
    ring.end(TestTap.START_NS);
    drain(reader);
    assertThat(reader.snapshotState(2)).extracting(RingSplit::ring).containsExactly(1);
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
    RingSourceReader<PacketBlock> zombie = readerOf(split(0));
    zombie.snapshotState(1);
    readerOf(split(0));
    assertThatThrownBy(() -> zombie.notifyCheckpointComplete(1))
        .isInstanceOf(RingFileException.class)
        .hasMessageContaining("another reader");
    assertThatThrownBy(() -> zombie.snapshotState(2))
        .as("a checkpoint of what another reads, too, must not complete")
        .hasMessageContaining("--reader-name");
    assertThat(ring.heldFrom()).isZero();
  }

  /** Nobody would have the others' memory for as long as the process lives. */
  @Test
  void shouldCloseAllRingsWhereOneCannotBeGivenUp() {
    ring(0).end(TestTap.START_NS);
    MemoryRing other = ring(1);
    RingSourceReader<PacketBlock> reader = readerOf(split(0), split(1));
    readerOf(split(0));
    assertThatThrownBy(reader::close)
        .isInstanceOf(RingFileException.class)
        .hasMessageContaining("another reader");
    assertThat(other.isReaderClosed()).isTrue();
  }

  @Test
  void shouldHoldTheSpaceForASuccessorWhenItStopsEarly() {
    MemoryRing ring = ring(0);
    ring.write(0, 10, TestTap.START_NS);
    RingSourceReader<PacketBlock> reader = readerOf(split(0));
    reader.close();
    assertThat(ring.isHeld()).isTrue();
  }
}
