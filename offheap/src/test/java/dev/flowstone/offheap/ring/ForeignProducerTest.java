// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.model.abi.RingLaneLayout;
import dev.flowstone.offheap.ring.RingReader.Poll;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A producer in another language and another process, written from the protocol's page: this side's
 * readers must find in its ring what it says is there, and it must respect them.
 */
@Timeout(60)
class ForeignProducerTest {
  private static final long MILLISECOND_NS = 1_000_000;
  private static final long START_NS = 1_795_219_200_000L * MILLISECOND_NS;
  private static final int SLOTS_LOG2 = 10;
  private static final int SLOTS = 1 << SLOTS_LOG2;
  private static final Duration EXPIRY = Duration.ofSeconds(2);

  // What the producer answers.
  private static final int OFFERED = 0;
  private static final int WRITTEN = 1;
  private static final int DROPPED = 2;
  private static final int LOST_BEFORE_TAP = 3;
  private static final int EXPIRED_LANES = 4;

  @TempDir private Path scratch;
  private RingDirectory directory;

  @BeforeAll
  static void build() throws Exception {
    ForeignProgram.build();
  }

  @BeforeEach
  void begin() {
    directory = new RingDirectory(scratch.resolve("rings"));
  }

  private ForeignProgram startProducer() throws Exception {
    ForeignProgram producer = new ForeignProgram("ring-producer", directory.path(), SLOTS_LOG2);
    assertThat(producer.answer()).isEqualTo("ready");
    return producer;
  }

  private RingFile open() {
    return RingFile.open(directory.ringFile(0));
  }

  private RingSetWriter createWriter() {
    return RingSetWriter.create(
        directory,
        new RingSpecification(1, SLOTS_LOG2, RingClock.SYNTHETIC, 128, "test", Optional.empty()),
        WhenFull.DROP);
  }

  /** What a reader saw of packets that are numbered from 0 and a millisecond apart. */
  private static final class Seen {
    private int packets;
    private int latest = -1;

    void take(MemorySegment records, long offset, RingTime time) {
      int number = PacketRecord.sequence(records, offset);
      assertThat(number).as("each in its order, none twice").isGreaterThan(latest);
      assertThat(PacketRecord.timeNs(PacketRecord.timeLow(records, offset), time.baseNs()))
          .as("time of packet %d", number)
          .isEqualTo(START_NS + number * MILLISECOND_NS);
      latest = number;
      packets++;
    }
  }

  private static Poll readOnce(GatingReader reader, Seen seen) {
    Poll found = reader.poll(100);
    if (found == Poll.PACKETS) {
      for (int i = 0; i < reader.runCount(); i++) {
        RingFile file = reader.file();
        seen.take(file.slots(), file.slotOffset(reader.runPosition() + i), reader.time());
      }
    }
    return found;
  }

  private static Poll readAll(GatingReader reader, Seen seen) {
    Poll found = readOnce(reader, seen);
    while (found == Poll.PACKETS || found == Poll.CLOCK) {
      found = readOnce(reader, seen);
    }
    reader.release(reader.position());
    return found;
  }

  /** Copies first and believes the copy afterwards, as one must who holds nothing back. */
  private static Seen observe(RingFile file) {
    Seen seen = new Seen();
    try (Arena arena = Arena.ofConfined();
        ObservingReader reader = new ObservingReader(file, "observer", RingStart.OLDEST)) {
      MemorySegment copy = arena.allocate((long) SLOTS * RingFile.SLOT_BYTES, Long.BYTES);
      for (Poll found = reader.poll(100); found != Poll.END; found = reader.poll(100)) {
        long lengthBytes = (long) reader.runCount() * RingFile.SLOT_BYTES;
        if (found == Poll.PACKETS) {
          copy.copyFrom(file.slots().asSlice(file.slotOffset(reader.runPosition()), lengthBytes));
        }
        if (found == Poll.PACKETS && reader.isRunIntact()) {
          for (long offset = 0; offset < lengthBytes; offset += RingFile.SLOT_BYTES) {
            seen.take(copy, offset, reader.time());
          }
        }
      }
      requireBalance(reader, seen, file.counters());
    }
    return seen;
  }

  private static void requireBalance(RingReader reader, Seen seen, RingCounters counters) {
    assertThat(seen.packets + reader.lost().inRing()).isEqualTo(counters.offeredPackets());
    assertThat(reader.lost().beforeTap()).isEqualTo(counters.lostBeforeTap());
    assertThat(reader.unexplainedPackets()).isZero();
  }

  @Test
  void shouldGiveReadersOfBothKindsEachPacketOnceWhileItWrites() throws Exception {
    try (ForeignProgram producer = startProducer();
        RingFile file = open();
        GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST)) {
      CompletableFuture<Seen> observed = CompletableFuture.supplyAsync(() -> observe(file));
      producer.ask("write " + 2 * SLOTS);
      producer.tell("write 100000");
      producer.tell("end");
      Seen seen = new Seen();
      while (readOnce(reader, seen) != Poll.END) {
        reader.release(reader.position());
        LockSupport.parkNanos(MILLISECOND_NS / 10);
      }
      producer.answer();
      long[] told = ForeignProgram.numbers(producer.answer());

      assertThat(told[OFFERED]).isEqualTo(2 * SLOTS + 100000);
      assertThat(told[WRITTEN]).isEqualTo(seen.packets);
      assertThat(told[DROPPED]).isGreaterThan(SLOTS).isEqualTo(reader.lost().inRing());
      requireBalance(reader, seen, file.counters());
      assertThat(observed.get().packets).isPositive();
    }
  }

  @Test
  void shouldAnnounceWhatItIsGoingToWriteOver() throws Exception {
    try (ForeignProgram producer = startProducer();
        RingFile file = open();
        ObservingReader reader = new ObservingReader(file, "observer", RingStart.OLDEST)) {
      producer.ask("write 1000");
      assertThat(reader.poll(10)).isEqualTo(Poll.CLOCK);
      assertThat(reader.poll(10)).isEqualTo(Poll.PACKETS);
      assertThat(reader.isRunIntact()).isTrue();
      long published = file.position();
      producer.ask("fill 64");

      assertThat(file.position()).as("not published yet").isEqualTo(published);
      assertThat(reader.isRunIntact()).isFalse();
    }
  }

  @Test
  void shouldTellWhatFoundNoRoomBeforeTheNextPacket() throws Exception {
    try (ForeignProgram producer = startProducer();
        RingFile file = open();
        GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST)) {
      producer.ask("write " + 2 * SLOTS);
      Seen seen = new Seen();
      readAll(reader, seen);
      assertThat(reader.lost()).as("not told yet").isEqualTo(PacketLoss.NONE);

      long[] told = producer.ask("write 10");
      readAll(reader, seen);
      assertThat(told[DROPPED]).isGreaterThan(SLOTS);
      assertThat(reader.lost()).isEqualTo(new PacketLoss(told[DROPPED], 0));
      assertThat(seen.packets).isEqualTo(told[WRITTEN]);
      assertThat(reader.unexplainedPackets()).isZero();
    }
  }

  @Test
  void shouldTellTheRestAtItsEndThoughTheRingIsFull() throws Exception {
    try (ForeignProgram producer = startProducer();
        RingFile file = open();
        GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST)) {
      producer.ask("write " + 2 * SLOTS);
      long[] told = producer.ask("end");
      Seen seen = new Seen();

      assertThat(readAll(reader, seen)).isEqualTo(Poll.END);
      assertThat(file.counters().lostRecorded()).isEqualTo(told[DROPPED]);
      requireBalance(reader, seen, file.counters());
    }
  }

  @Test
  void shouldTellWhatNeverReachedIt() throws Exception {
    try (ForeignProgram producer = startProducer();
        RingFile file = open();
        GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST)) {
      producer.ask("lose 7");
      producer.ask("write 10");
      producer.ask("lose 4");
      long[] told = producer.ask("end");
      Seen seen = new Seen();

      assertThat(readAll(reader, seen)).isEqualTo(Poll.END);
      assertThat(told[LOST_BEFORE_TAP]).isEqualTo(11);
      assertThat(reader.lost()).isEqualTo(new PacketLoss(0, 11));
      requireBalance(reader, seen, file.counters());
    }
  }

  @Test
  void shouldTakeTheSpaceOnlyOfAReaderThatIsSilentForTooLong() throws Exception {
    try (ForeignProgram producer = startProducer();
        RingFile file = open();
        GatingReader silent = new GatingReader(file, "silent", RingStart.OLDEST, EXPIRY);
        GatingReader alive = new GatingReader(file, "alive", RingStart.OLDEST, EXPIRY)) {
      long[] told = producer.ask("write " + 2 * SLOTS);
      assertThat(told[EXPIRED_LANES]).isZero();
      assertThat(told[DROPPED]).as("both hold the ring").isGreaterThan(SLOTS);
      readAll(alive, new Seen());
      assertThat(producer.ask("write 100")[WRITTEN]).isEqualTo(told[WRITTEN]);

      long aliveOffset =
          RingFileHeaderLayout.LANES_OFFSET
              + silent.lane.number() * RingLaneLayout.SIZE_BYTES
              + RingLaneLayout.ALIVE_NS_OFFSET;
      long agoNs = EXPIRY.plusSeconds(1).toNanos();
      file.header().set(RingHeader.LONG, aliveOffset, System.nanoTime() - agoNs);
      long[] toldLater = producer.ask("write 100");

      assertThat(toldLater[EXPIRED_LANES]).isEqualTo(1);
      assertThat(toldLater[WRITTEN]).isEqualTo(told[WRITTEN] + 100);
      assertThat(silent.holdsLane()).isFalse();
      assertThat(alive.holdsLane()).isTrue();
      assertThatThrownBy(() -> silent.poll(1)).isInstanceOf(RingFileException.class);
    }
  }

  @Test
  void shouldGoOnWithTheStreamOfTheFolderAndRememberItsForerunners() throws Exception {
    RingProgress progress;
    long stream;
    try (RingSetWriter writer = createWriter();
        Arena arena = Arena.ofConfined();
        RingFile file = open();
        GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST)) {
      new RecordBatch(arena).fill(60, START_NS, MILLISECOND_NS).writeTo(writer);
      readAll(reader, new Seen());
      progress = reader.progress();
      stream = file.identity().stream();
      writer.lostBeforeTap(5, START_NS);
      new RecordBatch(arena).fill(40, START_NS, MILLISECOND_NS).writeTo(writer);
    }

    try (ForeignProgram producer = startProducer();
        RingFile file = open();
        GatingReader reader = new GatingReader(file, "reader", new RingStart.Resume(progress))) {
      assertThat(file.identity().stream()).isEqualTo(stream);
      assertThat(reader.lost()).isEqualTo(new PacketLoss(40, 5));
      producer.ask("write 10");
      readAll(reader, new Seen());
      progress = reader.progress();
      producer.ask("write 30");
      assertThat(reader.unexplainedPackets()).isZero();
    }

    try (RingSetWriter _ = createWriter();
        RingFile file = open();
        GatingReader reader = new GatingReader(file, "reader", new RingStart.Resume(progress))) {
      assertThat(file.identity().stream()).isEqualTo(stream);
      assertThat(file.lineage().ancestors()).hasSize(2);
      assertThat(reader.lost()).isEqualTo(new PacketLoss(70, 5));
    }
  }

  @Test
  void shouldKeepAFolderToItself() throws Exception {
    try (ForeignProgram _ = startProducer();
        RingFile file = open()) {
      assertThat(directory.hasTap()).isTrue();
      assertThat(StreamNumber.tap(file.identity().stream())).isPositive();
      assertThatThrownBy(this::createWriter)
          .isInstanceOf(RingFileException.class)
          .hasMessageContaining("another tap fills these rings");
    }
    assertThat(directory.hasTap()).isFalse();
    try (RingSetWriter _ = createWriter();
        ForeignProgram refused =
            new ForeignProgram("ring-producer", directory.path(), SLOTS_LOG2)) {
      assertThat(refused.answer()).contains("another tap fills these rings");
      assertThat(refused.awaitEnd()).isEqualTo(1);
    }
  }
}
