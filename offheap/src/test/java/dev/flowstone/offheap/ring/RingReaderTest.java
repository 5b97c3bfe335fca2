// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.model.abi.RingState;
import dev.flowstone.model.abi.TimeRecordLayout;
import dev.flowstone.offheap.ring.RingReader.Poll;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a reader believes of a ring, and what it makes of damage, overruns and its own mistakes. */
class RingReaderTest {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final long START_NS = 1_700_000_000L * SECOND_NS;
  private static final int SLOTS_LOG2 = 10;
  private static final int SLOTS = 1 << SLOTS_LOG2;

  @TempDir private Path folder;
  private final Arena arena = Arena.ofShared();
  private RecordBatch batch;
  private RingSetWriter writer;
  private RingFile file;
  private int read;

  @BeforeEach
  void begin() {
    RingDirectory directory = new RingDirectory(folder);
    batch = new RecordBatch(arena);
    writer =
        RingSetWriter.create(
            directory,
            new RingSpecification(
                1, SLOTS_LOG2, RingClock.SYNTHETIC, 128, "test", Optional.empty()),
            WhenFull.DROP);
    file = RingFile.open(directory.ringFile(0));
  }

  @AfterEach
  void end() {
    file.close();
    writer.close();
    arena.close();
  }

  private void write(int packets, long gapNs) {
    batch.fill(packets, START_NS, gapNs).writeTo(writer);
  }

  private void write(int packets) {
    write(packets, 1000);
  }

  private void readAll(RingReader reader) {
    for (Poll found = reader.poll(100);
        found == Poll.PACKETS || found == Poll.CLOCK;
        found = reader.poll(100)) {
      read += reader.runCount();
    }
  }

  @Test
  void shouldCountADiscardedRunAsLost() {
    ObservingReader observer = new ObservingReader(file, "observer", RingStart.OLDEST);
    write(510);
    assertThat(observer.poll(10)).isEqualTo(Poll.CLOCK);
    assertThat(observer.poll(10)).isEqualTo(Poll.PACKETS);
    assertThat(observer.isRunIntact()).isTrue();
    read = observer.runCount();
    assertThat(observer.poll(500)).isEqualTo(Poll.PACKETS);
    for (int i = 0; i < 5; i++) {
      write(500);
    }
    assertThat(observer.isRunIntact()).isFalse();
    assertThat(observer.isRunIntact()).as("asked again").isFalse();
    assertThat(observer.runCount()).isZero();
    assertThat(observer.progress().books().accountedPackets()).isEqualTo(10);
    assertThat(observer.progress().time().isKnown())
        .as("a TIME record in the run may have been overlooked")
        .isFalse();
    writer.end();
    readAll(observer);

    assertThat(observer.poll(1)).isEqualTo(Poll.END);
    assertThat(read + observer.lost().inRing()).isEqualTo(3010);
    assertThat(observer.unexplainedPackets()).isZero();
  }

  @Test
  void shouldNotTakeBackAnEarlierRunWhenAskedAfterAClock() {
    ObservingReader observer = new ObservingReader(file, "observer", RingStart.OLDEST);
    write(10);
    writer.heartbeat(START_NS + 2 * SECOND_NS, true);
    readAll(observer);
    for (int i = 0; i < 3; i++) {
      write(500);
    }
    assertThat(observer.isRunIntact()).isFalse();
    assertThat(observer.progress().books().accountedPackets()).isEqualTo(10);
  }

  @Test
  void shouldNotTakeAPacketForAControlRecord() {
    GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
    write(100);
    file.header().set(RingHeader.LONG, RingFileHeaderLayout.CONTROL_INDEX_OFFSET, 5);
    assertThatThrownBy(() -> readAll(reader))
        .isInstanceOf(RingFileException.class)
        .hasMessageContaining("names position 5")
        .hasMessageContaining("neither TIME nor LOSS");
    assertThat(reader.lost().inRing()).isZero();
  }

  @Test
  void shouldRefuseAControlRecordThatTellsOfFewerThanNone() {
    GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
    write(100);
    file.slots().set(RingHeader.LONG, TimeRecordLayout.OFFERED_PACKETS_OFFSET, -5);
    assertThatThrownBy(() -> readAll(reader))
        .isInstanceOf(RingFileException.class)
        .hasMessageContaining("position 0 tells of -5 offered packets");
  }

  /** A job that met this would fail again after each restart. */
  @Test
  void shouldNotLoseFewerThanNoneWhereLessIsSaidToBeOfferedThanItRead() {
    GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
    write(10);
    writer.heartbeat(START_NS + 2 * SECOND_NS, true);
    long secondTime = file.slotOffset(11) + TimeRecordLayout.OFFERED_PACKETS_OFFSET;
    assertThat(file.slots().get(RingHeader.LONG, secondTime)).isEqualTo(10);
    file.slots().set(RingHeader.LONG, secondTime, 4);
    readAll(reader);
    assertThat(reader.takeUnreportedLoss().inRing()).isZero();
    assertThat(reader.unexplainedPackets()).isEqualTo(6);
  }

  @Test
  void shouldRefuseAProducerThatWentBack() {
    ObservingReader observer = new ObservingReader(file, "observer", RingStart.OLDEST);
    write(10);
    readAll(observer);
    file.words().publishPosition(5);
    assertThatThrownBy(() -> observer.poll(100)).hasMessageContaining("behind this reader at 11");
  }

  @Test
  void shouldNotBelieveAControlRecordOfAnotherLap() {
    GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
    write(100);
    long offset = PacketRecordLayout.DESCRIPTOR_OFFSET;
    int descriptor = file.slots().get(RingHeader.INT, offset);
    int nextLap = descriptor + (1 << PacketRecordLayout.GENERATION_SHIFT);
    file.slots().set(RingHeader.INT, offset, nextLap);
    assertThatThrownBy(() -> readAll(reader)).hasMessageContaining("generation 2, not 1");
  }

  /** Only its first: a run is published as a whole. */
  @Test
  void shouldNotHandOutAPacketOfAnotherLap() {
    GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
    write(100);
    assertThat(reader.poll(10)).isEqualTo(Poll.CLOCK);
    assertThat(reader.poll(10)).isEqualTo(Poll.PACKETS);
    long offset = file.slotOffset(reader.position()) + PacketRecordLayout.DESCRIPTOR_OFFSET;
    int descriptor = file.slots().get(RingHeader.INT, offset);
    int nextLap = descriptor + (1 << PacketRecordLayout.GENERATION_SHIFT);
    file.slots().set(RingHeader.INT, offset, nextLap);
    assertThatThrownBy(() -> reader.poll(10))
        .isInstanceOf(RingFileException.class)
        .hasMessageContaining("position 11")
        .hasMessageContaining("generation 2, not 1");
  }

  @Test
  void shouldStopAGatingReaderWhoseControlRecordWasWrittenOver() {
    GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
    write(100);
    file.words().announceReserved(SLOTS + 1);
    assertThatThrownBy(() -> readAll(reader)).hasMessageContaining("over what this reader holds");
  }

  @Test
  void shouldStopReadingWhenAnotherTookTheLane() {
    GatingReader fenced = new GatingReader(file, "reader", RingStart.OLDEST);
    write(100);
    assertThat(fenced.poll(10)).isEqualTo(Poll.CLOCK);
    assertThat(fenced.holdsLane()).isTrue();
    GatingReader successor = new GatingReader(file, "reader", RingStart.OLDEST);

    assertThat(fenced.holdsLane()).isFalse();
    assertThatThrownBy(() -> fenced.poll(10))
        .isInstanceOf(RingFileException.class)
        .hasMessageContaining("must stop");
    assertThat(successor.holdsLane()).isTrue();
    readAll(successor);
    assertThat(read).isEqualTo(100);
  }

  @Test
  void shouldFindEveryControlRecordWhenTheIndexLapsItsPlace() {
    GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
    write(3);
    readAll(reader);
    // Twice as many TIME records as the index names, while the reader knows its place in it.
    write(400, 2 * SECOND_NS);
    int clocks = 0;
    for (Poll found = reader.poll(100); found != Poll.NOTHING; found = reader.poll(100)) {
      clocks += found == Poll.CLOCK ? 1 : 0;
      if (found == Poll.PACKETS) {
        read += reader.runCount();
        long offset = file.slotOffset(reader.runPosition());
        int number = PacketRecord.sequence(file.slots(), offset) - 3;
        long timeNs =
            PacketRecord.timeNs(PacketRecord.timeLow(file.slots(), offset), reader.time().baseNs());
        assertThat(timeNs).isEqualTo(START_NS + number * 2L * SECOND_NS);
      }
    }
    assertThat(read).isEqualTo(403);
    assertThat(clocks).isEqualTo(399);
  }

  @Test
  void shouldBeginWithATimeRecordThatIsPublishedOnly() {
    write(100);
    file.words().addControl(file.words().controlCountAcquire(), file.position());
    GatingReader reader = new GatingReader(file, "reader", RingStart.LATEST);
    readAll(reader);
    assertThat(read).isEqualTo(100);
  }

  @Test
  void shouldExplainLossesThatNoRecordHadRoomFor() {
    GatingReader first = new GatingReader(file, "reader", RingStart.OLDEST);
    RingProgress nothingRead = first.progress();
    first.leave();
    write(SLOTS - 1);
    assertThat(file.position()).isEqualTo(SLOTS);
    GatingReader reader = new GatingReader(file, "reader", new RingStart.Resume(nothingRead));
    write(50);
    writer.end();
    assertThat(file.counters().lostRecorded()).isZero();
    readAll(reader);

    assertThat(reader.poll(1)).isEqualTo(Poll.END);
    assertThat(read).isEqualTo(SLOTS - 1);
    assertThat(reader.lost().inRing()).isEqualTo(50);
    assertThat(reader.unexplainedPackets()).isZero();
  }

  /** Both may come between a look that finds nothing and the question whether this is the end. */
  @Test
  void shouldReadWhatWasPublishedJustBeforeTheEnd() throws Exception {
    write(SLOTS - 100);
    long last = file.position();
    long deadlineNs = System.nanoTime() + SECOND_NS;
    while (System.nanoTime() < deadlineNs) {
      file.words().publishPosition(0);
      AtomicLong awaited = new AtomicLong();
      Thread producer = new Thread(() -> endAtEach(last, awaited));
      producer.start();
      try {
        readToTheEndAtEach(last, awaited, deadlineNs);
      } finally {
        awaited.set(last);
        producer.join();
      }
    }
  }

  /** As if the ring ended with each of its records. */
  private void endAtEach(long last, AtomicLong awaited) {
    for (long position = 1; position <= last; position++) {
      while (awaited.get() < position) {
        Thread.onSpinWait();
      }
      file.words().publishPosition(position);
      file.words().publishEnded();
    }
  }

  private void readToTheEndAtEach(long last, AtomicLong awaited, long deadlineNs) {
    GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
    for (long position = 1; position <= last && System.nanoTime() < deadlineNs; position++) {
      file.header().set(RingHeader.INT, RingFileHeaderLayout.STATE_OFFSET, RingState.OPEN);
      awaited.set(position);
      while (reader.poll(1) != Poll.END) {
        Thread.onSpinWait();
      }
      assertThat(reader.position()).as("read before the end").isEqualTo(position);
    }
  }

  @Test
  void shouldNotExplainPacketsThatTheReaderPassedOverByMistake() {
    GatingReader first = new GatingReader(file, "reader", RingStart.OLDEST);
    write(100);
    first.poll(10);
    first.poll(10);
    GatingReader second =
        new GatingReader(file, "reader", new RingStart.Resume(moved(first.progress(), 7)));
    writer.end();
    readAll(second);

    assertThat(second.lost().inRing()).as("the balance hides it").isEqualTo(7);
    assertThat(second.unexplainedPackets()).isEqualTo(7);
  }

  @Test
  void shouldNotExplainPacketsThatTheReaderReadTwice() {
    GatingReader first = new GatingReader(file, "reader", RingStart.OLDEST);
    write(100);
    first.poll(10);
    first.poll(10);
    GatingReader second =
        new GatingReader(file, "reader", new RingStart.Resume(moved(first.progress(), -7)));
    writer.end();
    readAll(second);
    assertThat(second.unexplainedPackets()).isEqualTo(7);
  }

  private static RingProgress moved(RingProgress progress, int slots) {
    return new RingProgress(
        progress.incarnation(), progress.position() + slots, progress.time(), progress.books());
  }
}
