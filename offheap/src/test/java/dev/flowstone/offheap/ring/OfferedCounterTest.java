// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.model.abi.RingTargetLayout;
import dev.flowstone.model.abi.TimeRecordLayout;
import dev.flowstone.offheap.ParserLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A ring's offered counter is a measurement of its own: once for each packet that meets it. */
@Timeout(60)
class OfferedCounterTest {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final long START_NS = 1_700_000_000L * SECOND_NS;
  private static final int WIRE_BYTES = 100;
  private static final int MORE_THAN_FITS = 3000;
  private static final long MANY_RETRIES_MS = 20;
  private static final RingSpecification ONE_RING =
      new RingSpecification(1, 10, RingClock.SYNTHETIC, 128, "test", Optional.empty());

  @TempDir private Path folder;
  private final Arena arena = Arena.ofShared();
  private RingDirectory directory;
  private RecordBatch batch;

  @BeforeEach
  void begin() {
    directory = new RingDirectory(folder.resolve("rings"));
    batch = new RecordBatch(arena);
  }

  @AfterEach
  void end() {
    arena.close();
  }

  private RingSetWriter create(WhenFull whenFull) {
    return RingSetWriter.create(directory, ONE_RING, whenFull);
  }

  private RingFile open() {
    return RingFile.open(directory.ringFile(0));
  }

  /** Neither written nor dropped: no sum of the other counters could tell. */
  @Test
  void shouldBetrayAPacketThatWentAstray() {
    RingDirectory inFolder = new RingDirectory(folder);
    MemorySegment target = arena.allocate(RingTargetLayout.SIZE_BYTES, Long.BYTES);
    MemorySegment stop = arena.allocate(2L * Integer.BYTES, Long.BYTES);
    batch.fill(3, START_NS, 1);
    try (RingFolder taken = RingFolder.take(inFolder, Optional.empty());
        RingWriter ring =
            new RingWriter(
                RingFile.open(
                    new RingFileMaker(taken, ONE_RING, RingRoom.take(inFolder, ONE_RING))
                        .makeAll()
                        .getFirst()),
                new RingTarget(target));
        RingFile file = RingFile.open(inFolder.ringFile(0))) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      ring.beginBatch(3);
      assertThat(scatter(0, 0, target, stop)).isZero();
      ring.writeTime(START_NS, true);
      int astray = 0;
      assertThat(scatter(astray + 1, 1, target, stop)).isEqualTo(3);
      ring.end(OptionalLong.empty());

      RingCounters counters = file.counters();
      assertThat(counters.writtenPackets()).isEqualTo(2);
      assertThat(counters.droppedPackets()).isZero();
      assertThat(counters.offeredPackets()).isEqualTo(3);
      assertThat(counters.offeredBytes()).isEqualTo(3 * WIRE_BYTES);
      readToEnd(reader);
      assertThat(reader.lost().inRing()).as("what the reader misses").isEqualTo(1);
    }
  }

  private int scatter(int first, int firstUnmet, MemorySegment target, MemorySegment stop) {
    return ParserLibrary.instance()
        .scatter(
            batch.rawPackets,
            batch.records,
            first,
            firstUnmet,
            batch.count,
            arena.allocateFrom(JAVA_BYTE, ONE_RING.keyGroupTable()),
            ONE_RING.maxParallelism(),
            target,
            stop,
            stop.asSlice(Integer.BYTES));
  }

  @Test
  void shouldCountAPacketThatWaitsForRoomOnceHoweverOftenItIsTried() throws Exception {
    CountDownLatch readerHolds = new CountDownLatch(1);
    try (RingSetWriter writer = create(WhenFull.WAIT)) {
      CompletableFuture<RingCounters> whileWaiting =
          CompletableFuture.supplyAsync(() -> readLate(readerHolds));
      readerHolds.await();
      batch.fill(MORE_THAN_FITS, START_NS, 1).writeTo(writer);
      writer.end();

      RingCounters waiting = whileWaiting.get();
      assertThat(waiting.offeredPackets()).isEqualTo(waiting.writtenPackets() + 1);
      RingCounters counters = writer.ringFile(0).counters();
      assertThat(counters.offeredPackets()).isEqualTo(MORE_THAN_FITS);
      assertThat(counters.offeredBytes()).isEqualTo(MORE_THAN_FITS * WIRE_BYTES);
      assertThat(counters.writtenPackets()).isEqualTo(MORE_THAN_FITS);
      assertThat(counters.droppedPackets()).isZero();
    }
  }

  /** Holds the whole ring until a packet has waited a while; the counters at that time. */
  private RingCounters readLate(CountDownLatch readerHolds) {
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "late", RingStart.OLDEST);
      readerHolds.countDown();
      while (!hasWaitingPacket(file.counters())) {
        Thread.sleep(1);
      }
      Thread.sleep(MANY_RETRIES_MS);
      RingCounters whileWaiting = file.counters();
      readToEnd(reader);
      assertThat(reader.lost().inRing()).as("TIME records count no packet that waits").isZero();
      return whileWaiting;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static boolean hasWaitingPacket(RingCounters counters) {
    return counters.writtenPackets() > 0
        && counters.offeredPackets() != counters.writtenPackets() + counters.droppedPackets();
  }

  private static void readToEnd(GatingReader reader) {
    RingReader.Poll poll;
    while ((poll = reader.poll(100)) != RingReader.Poll.END) {
      if (poll == RingReader.Poll.NOTHING) {
        reader.release(reader.progress().position());
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void shouldCountADroppedPacketOnceWhetherItLackedRoomOrATimeRecord() {
    try (RingSetWriter writer = create(WhenFull.DROP);
        RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      batch.fill(MORE_THAN_FITS, START_NS, 1).writeTo(writer);
      batch.fill(500, START_NS + 10 * SECOND_NS, 2 * SECOND_NS).writeTo(writer);
      writer.end();

      RingCounters counters = file.counters();
      assertThat(counters.offeredPackets()).isEqualTo(MORE_THAN_FITS + 500);
      assertThat(counters.offeredBytes()).isEqualTo((MORE_THAN_FITS + 500) * WIRE_BYTES);
      assertThat(counters.writtenPackets() + counters.droppedPackets())
          .isEqualTo(counters.offeredPackets());
      readToEnd(reader);
      assertThat(reader.lost().inRing()).isEqualTo(counters.droppedPackets());
    }
  }

  @Test
  void shouldLeaveThePacketATimeRecordIsForToTheNextRecord() {
    try (RingSetWriter writer = create(WhenFull.DROP);
        RingFile file = open()) {
      batch.fill(3, START_NS, 2 * SECOND_NS).writeTo(writer);
      writer.end();

      long[] offered = {0, 1, 2, 3};
      int found = 0;
      for (long position = 0; position < file.position(); position++) {
        long slot = file.slotOffset(position);
        if (isTime(file, slot)) {
          long offset = slot + TimeRecordLayout.OFFERED_PACKETS_OFFSET;
          assertThat(file.slots().get(RingHeader.LONG, offset)).isEqualTo(offered[found++]);
        }
      }
      assertThat(found).isEqualTo(offered.length);
    }
  }

  private static boolean isTime(RingFile file, long slot) {
    int descriptor = file.slots().get(RingHeader.INT, slot + PacketRecordLayout.DESCRIPTOR_OFFSET);
    int kind = descriptor >>> PacketRecordLayout.KIND_SHIFT & PacketRecordLayout.KIND_MASK;
    return kind == RecordKind.TIME;
  }
}
