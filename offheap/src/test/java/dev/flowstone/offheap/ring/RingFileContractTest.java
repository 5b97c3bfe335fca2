// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.model.abi.RingClock;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a ring file promises, whatever file system holds it. One subclass per file system. */
abstract class RingFileContractTest {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final long START_NS = 1_700_000_000L * SECOND_NS;
  private static final int SLOTS_LOG2 = 10;

  private final Arena arena = Arena.ofShared();
  private RingDirectory directory;
  private RingSetWriter writer;
  private RecordBatch batch;

  /** An empty folder on the file system under test. */
  abstract Path newFolder() throws IOException;

  @BeforeEach
  void begin() throws IOException {
    directory = new RingDirectory(newFolder());
    batch = new RecordBatch(arena);
    writer = create(1);
  }

  @AfterEach
  void end() {
    if (writer != null) {
      writer.close();
      directory.delete();
    }
    arena.close();
  }

  private RingSetWriter create(int rings) {
    return RingSetWriter.create(
        directory,
        new RingSpecification(
            rings, SLOTS_LOG2, RingClock.SYNTHETIC, 128, "test", Optional.empty()),
        WhenFull.DROP);
  }

  private RingFile open() {
    return RingFile.open(directory.ringFile(0));
  }

  /** Reads all there is; the numbers of the packets, in order. */
  private static List<Integer> drain(RingReader reader) {
    List<Integer> numbers = new ArrayList<>();
    while (true) {
      switch (reader.poll(100)) {
        case PACKETS -> {
          for (int i = 0; i < reader.runCount(); i++) {
            long offset = reader.file().slotOffset(reader.runPosition() + i);
            numbers.add(PacketRecord.sequence(reader.file().slots(), offset));
          }
        }
        case CLOCK -> {}
        case NOTHING, END -> {
          return numbers;
        }
      }
    }
  }

  private void write(int packets) {
    batch.fill(packets, START_NS, 1000).writeTo(writer);
  }

  private static List<Integer> numbers(int from, int to) {
    return java.util.stream.IntStream.range(from, to).boxed().toList();
  }

  @Test
  void shouldHandOverEveryPacketInOrder() {
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      write(300);
      write(200);
      writer.end();

      assertThat(drain(reader)).isEqualTo(numbers(0, 500));
      assertThat(reader.poll(1)).isEqualTo(RingReader.Poll.END);
      assertThat(reader.lost().inRing()).isZero();
    }
  }

  @Test
  void shouldGoRoundManyTimes() {
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      int next = 0;
      for (int lap = 0; lap < 50; lap++) {
        write(700);
        assertThat(drain(reader)).isEqualTo(numbers(next, next + 700));
        next += 700;
        reader.release(reader.progress().position());
      }
      assertThat(file.counters().droppedPackets()).isZero();
      assertThat(file.position()).isGreaterThan(30 * file.identity().slotCount());
    }
  }

  @Test
  void shouldDropCountAndRecordLossWhenFull() {
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      write(3000);
      RingCounters full = file.counters();
      assertThat(full.droppedPackets()).isPositive();
      assertThat(full.offeredPackets()).isEqualTo(3000);
      assertThat(full.offeredPackets()).isEqualTo(full.writtenPackets() + full.droppedPackets());

      int kept = drain(reader).size();
      reader.release(reader.progress().position());
      write(10);
      writer.end();
      List<Integer> after = drain(reader);

      assertThat(after).isEqualTo(numbers(3000, 3010));
      assertThat(reader.lost().inRing()).isEqualTo(full.droppedPackets()).isEqualTo(3000 - kept);
      assertThat(file.counters().lostRecorded()).isEqualTo(full.droppedPackets());
    }
  }

  @Test
  void shouldFindRoomForTheLastLossEvenWhenFull() {
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      write(3000);
      writer.end();
      int kept = drain(reader).size();

      assertThat(kept + reader.lost().inRing()).isEqualTo(3000);
      assertThat(file.position()).isLessThanOrEqualTo(file.identity().slotCount());
    }
  }

  @Test
  void shouldTellTheTimeOfEveryPacketAcrossSteps() {
    long[] times = {
      START_NS,
      START_NS + 1,
      START_NS + 999_999_999,
      START_NS + 100 * SECOND_NS,
      START_NS + 100 * SECOND_NS - 5,
      START_NS - 3000 * SECOND_NS,
      0,
      1L << 32,
      (1L << 62) + 7
    };
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      batch.clear();
      for (long time : times) {
        batch.add(1, time, true);
      }
      batch.writeTo(writer);

      List<Long> read = new ArrayList<>();
      while (true) {
        RingReader.Poll poll = reader.poll(10);
        if (poll == RingReader.Poll.NOTHING) {
          break;
        }
        for (int i = 0; poll == RingReader.Poll.PACKETS && i < reader.runCount(); i++) {
          long offset = file.slotOffset(reader.runPosition() + i);
          int timeLow = PacketRecord.timeLow(file.slots(), offset);
          read.add(PacketRecord.timeNs(timeLow, reader.time().baseNs()));
        }
      }
      assertThat(read).containsExactly(java.util.Arrays.stream(times).boxed().toArray(Long[]::new));
    }
  }

  @Test
  void shouldSayWhichPacketsHaveNoTime() {
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      batch.clear().add(1, START_NS, true).add(1, START_NS, false).add(1, START_NS, true);
      batch.writeTo(writer);
      List<Boolean> trusted = new ArrayList<>();
      RingReader.Poll poll;
      while ((poll = reader.poll(10)) != RingReader.Poll.NOTHING) {
        if (poll == RingReader.Poll.PACKETS) {
          trusted.add(reader.time().isTrusted());
        }
      }
      assertThat(trusted).containsExactly(true, false, true);
    }
  }

  @Test
  void shouldGoOnWhereAnEarlierReaderStopped() {
    RingProgress progress;
    try (RingFile file = open()) {
      GatingReader first = new GatingReader(file, "job", RingStart.OLDEST);
      write(100);
      first.poll(40);
      first.poll(40);
      progress = first.progress();
      first.release(progress.position());
    }
    write(100);
    try (RingFile file = open()) {
      GatingReader second = new GatingReader(file, "job", new RingStart.Resume(progress));
      writer.end();
      int read = drain(second).size();
      assertThat(progress.books().accountedPackets() + read).isEqualTo(200);
      assertThat(second.lost().inRing()).isZero();
      assertThat(file.lanes().occupants()).hasSize(1);
    }
  }

  @Test
  void shouldCountExactlyWhatIsGoneBehindTheReleasedPosition() {
    try (RingFile file = open()) {
      GatingReader first = new GatingReader(file, "job", RingStart.OLDEST);
      write(100);
      drain(first);
      RingProgress early = first.progress();
      for (int i = 0; i < 20; i++) {
        write(500);
        drain(first);
        first.release(first.progress().position());
      }
      GatingReader second = new GatingReader(file, "job", new RingStart.Resume(early));
      writer.heartbeat(START_NS + 10 * SECOND_NS, true);
      write(50);
      writer.end();
      int read = drain(second).size();

      assertThat(second.lost().inRing()).isPositive();
      assertThat(early.books().accountedPackets() + read + second.lost().inRing())
          .isEqualTo(10_150);
      assertThatThrownBy(() -> first.release(0))
          .as("the reader that lost its lane")
          .isInstanceOf(RingFileException.class);
    }
  }

  @Test
  void shouldSayExactlyWhatWasMissedAcrossProducerRestarts() {
    RingProgress progress;
    try (RingFile file = open()) {
      GatingReader first = new GatingReader(file, "job", RingStart.OLDEST);
      write(100);
      first.poll(1);
      first.poll(30);
      progress = first.progress();
      assertThat(progress.books().accountedPackets()).isEqualTo(30);
      write(11);
    }
    writer.close();
    writer = create(1);
    write(7);
    writer.close();
    writer = create(1);
    write(5);
    writer.end();
    try (RingFile file = open()) {
      GatingReader second = new GatingReader(file, "job", new RingStart.Resume(progress));
      assertThat(drain(second)).hasSize(5);
      assertThat(second.lost().inRing()).isEqualTo(111 - 30 + 7);
    }
  }

  @Test
  void shouldNotWaitForAnObserver() {
    try (RingFile file = open()) {
      ObservingReader observer = new ObservingReader(file, "observer", RingStart.OLDEST);
      write(10);
      drain(observer);
      for (int i = 0; i < 10; i++) {
        write(500);
      }
      writer.heartbeat(START_NS + 10 * SECOND_NS, true);
      write(20);
      writer.end();
      int read = drain(observer).size();

      assertThat(file.counters().droppedPackets()).isZero();
      assertThat(observer.lost().inRing()).isPositive();
      assertThat(10 + read + observer.lost().inRing()).isEqualTo(5030);
    }
  }

  @Test
  void shouldBeginWithTheLatestClock() {
    try (RingFile file = open()) {
      write(200);
      writer.heartbeat(START_NS + 2 * SECOND_NS, true);
      GatingReader reader = new GatingReader(file, "reader", RingStart.LATEST);
      batch.fill(5, START_NS + 2 * SECOND_NS, 10).writeTo(writer);
      writer.end();

      assertThat(drain(reader)).isEqualTo(numbers(200, 205));
      assertThat(reader.lost().inRing()).isZero();
    }
  }

  @Test
  void shouldLetAnOperatorFreeTheLaneOfADeadReader() {
    try (RingFile file = open()) {
      GatingReader dead = new GatingReader(file, "dead", RingStart.OLDEST);
      write(3000);
      long dropped = file.counters().droppedPackets();
      assertThat(file.lanes().free(0))
          .hasValueSatisfying(o -> assertThat(o.name()).isEqualTo("dead"));
      write(3000);

      assertThat(file.lanes().hasGatingReader()).isFalse();
      assertThat(file.counters().droppedPackets()).isEqualTo(dropped);
      assertThatThrownBy(() -> dead.release(1)).hasMessageContaining("must stop");
    }
  }

  @Test
  void shouldRefuseANinthReader() {
    try (RingFile file = open()) {
      for (int i = 0; i < 8; i++) {
        new GatingReader(file, "reader-" + i, RingStart.OLDEST);
      }
      assertThatThrownBy(() -> new GatingReader(file, "ninth", RingStart.OLDEST))
          .hasMessageContaining("--free-lane");
    }
  }

  @Test
  void shouldFindManyControlRecordsBeyondTheIndex() {
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      batch.clear();
      for (int i = 0; i < 400; i++) {
        batch.add(1, START_NS + i * 2L * SECOND_NS, true);
      }
      batch.writeTo(writer);
      writer.end();
      assertThat(drain(reader)).isEqualTo(numbers(0, 400));
    }
  }

  @Test
  void shouldKeepOneFlowInOneRing() {
    writer.close();
    writer = create(4);
    batch.fill(2000, START_NS, 10).writeTo(writer);
    long offered = 0;
    for (int ring = 0; ring < 4; ring++) {
      try (RingFile file = RingFile.open(directory.ringFile(ring))) {
        offered += file.counters().offeredPackets();
        GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
        while (reader.poll(100) != RingReader.Poll.NOTHING) {
          for (int i = 0; i < reader.runCount(); i++) {
            long offset = file.slotOffset(reader.runPosition() + i);
            int group =
                dev.flowstone.model.KeyGroups.keyGroup(
                    PacketRecord.flowHash(file.slots(), offset), 128);
            assertThat(group * 4 / 128).isEqualTo(ring);
          }
        }
      }
    }
    assertThat(offered).isEqualTo(2000).isEqualTo(writer.offeredPackets());
  }

  @Test
  void shouldBeTheOwnersAlone() throws IOException {
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.ringFile(0))))
        .isEqualTo("rw-------");
  }

  /** Closing what the second tap opened must not give the first one's lock away. */
  @Test
  void shouldRefuseASecondTapAgainAndAgain() {
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> create(1)).hasMessageContaining("another tap");
      assertThat(directory.hasTap()).isTrue();
    }
    writer.close();
    assertThat(directory.hasTap()).isFalse();
    writer = create(1);
    assertThat(directory.hasTap()).isTrue();
  }

  @Test
  void shouldKeepItsStreamNumbersOverRestartsWithAnyNumberOfRings() {
    long first = writer.ringFile(0).identity().stream();
    assertThat(first).isPositive();
    for (int rings : new int[] {4, 2, 3}) {
      writer.close();
      writer = create(rings);
      for (int ring = 0; ring < rings; ring++) {
        long stream = writer.ringFile(ring).identity().stream();
        assertThat(stream).isEqualTo(StreamNumber.of(StreamNumber.tap(first), ring));
        assertThat(StreamNumber.ring(stream)).isEqualTo(ring);
      }
    }
    writer.close();
    directory.delete();
    writer = create(1);
    assertThat(writer.ringFile(0).identity().stream()).as("a new folder").isNotEqualTo(first);
  }

  @Test
  void shouldTellLossesBeforeTheTapApartFromThoseOfAFullRing() {
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      write(10);
      writer.lostBeforeTap(7, START_NS);
      write(3000);
      writer.lostBeforeTap(2, START_NS);
      writer.end();
      int kept = drain(reader).size();

      assertThat(reader.lost().beforeTap()).isEqualTo(9);
      assertThat(reader.lost().inRing()).isPositive();
      assertThat(kept + reader.lost().inRing()).isEqualTo(3010);
      assertThat(reader.unexplainedPackets()).isZero();
      RingCounters counters = file.counters();
      assertThat(counters.lostBeforeTap()).isEqualTo(9);
      assertThat(counters.lostBeforeTapRecorded()).isEqualTo(9);
      assertThat(counters.offeredPackets())
          .isEqualTo(counters.writtenPackets() + counters.droppedPackets());
    }
  }

  @Test
  void shouldTellALossBeforeTheTapBeforeTheNextPacket() {
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      write(10);
      writer.lostBeforeTap(7, START_NS);
      write(10);
      assertThat(reader.poll(100)).isEqualTo(RingReader.Poll.CLOCK);
      assertThat(reader.poll(100)).isEqualTo(RingReader.Poll.PACKETS);
      assertThat(reader.takeUnreportedLoss()).isEqualTo(PacketLoss.NONE);
      assertThat(reader.poll(100)).isEqualTo(RingReader.Poll.PACKETS);
      assertThat(reader.runCount()).isEqualTo(10);
      assertThat(reader.takeUnreportedLoss()).isEqualTo(new PacketLoss(0, 7));
    }
  }

  @Test
  void shouldSayWhatFormerTapsNeverSawAcrossRestarts() {
    RingProgress progress;
    try (RingFile file = open()) {
      GatingReader first = new GatingReader(file, "job", RingStart.OLDEST);
      writer.lostBeforeTap(5, START_NS);
      write(10);
      drain(first);
      progress = first.progress();
      writer.lostBeforeTap(6, START_NS);
      write(1);
    }
    writer.close();
    writer = create(1);
    writer.lostBeforeTap(20, START_NS);
    write(1);
    writer.end();
    try (RingFile file = open()) {
      GatingReader second = new GatingReader(file, "job", new RingStart.Resume(progress));
      drain(second);
      assertThat(second.lost()).isEqualTo(new PacketLoss(1, 5 + 6 + 20));
    }
  }

  @Test
  void shouldTakeTheSpaceOfAReaderThatIsGoneForGood() {
    List<RingSetWriter.AbandonedLane> abandoned = new ArrayList<>();
    writer.limitSilence(Duration.ofMillis(100), abandoned::add);
    RingProgress progress;
    try (RingFile file = open()) {
      GatingReader gone = new GatingReader(file, "gone", RingStart.OLDEST);
      write(10);
      drain(gone);
      progress = gone.progress();
      write(3000);
      long droppedBefore = file.counters().droppedPackets();
      assertThat(droppedBefore).isPositive();
      LockSupport.parkNanos(150_000_000);
      write(3000);
      write(3000);

      assertThat(abandoned).hasSize(1);
      assertThat(abandoned.getFirst().reader().name()).isEqualTo("gone");
      assertThat(file.counters().droppedPackets()).isEqualTo(droppedBefore);
      assertThat(file.counters().expiredLanes()).isEqualTo(1);
      assertThatThrownBy(() -> gone.poll(1)).hasMessageContaining("no sign of life");

      GatingReader back = new GatingReader(file, "gone", new RingStart.Resume(progress));
      writer.end();
      int read = drain(back).size();
      assertThat(10 + read + back.lost().inRing()).isEqualTo(9_010);
      assertThat(back.unexplainedPackets()).isZero();
    }
  }

  @Test
  void shouldNotTakeTheSpaceOfAReaderThatShowsLife() {
    writer.limitSilence(Duration.ofMillis(100), lane -> {});
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "slow", RingStart.OLDEST);
      for (int i = 0; i < 5; i++) {
        reader.showLife();
        write(1000);
        LockSupport.parkNanos(50_000_000);
      }
      assertThat(reader.holdsLane()).isTrue();
      assertThat(file.counters().expiredLanes()).isZero();
    }
  }

  /** A time of 0 would be 1970. */
  @Test
  void shouldTellNoTimeThatNobodyKnowsWhenItEnds() {
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
      writer.end();
      assertThat(reader.poll(1)).isEqualTo(RingReader.Poll.END);
      assertThat(reader.time().isKnown()).isFalse();
      assertThat(reader.time().baseNs()).isEqualTo(RingTime.NEVER);
    }
  }

  @Test
  void shouldEndARingWithoutPacketsWithTheTimeOfTheOthers() {
    writer.close();
    writer = create(4);
    batch.clear().add(1, START_NS, true).writeTo(writer);
    writer.end();
    for (int ring = 0; ring < 4; ring++) {
      try (RingFile file = RingFile.open(directory.ringFile(ring))) {
        GatingReader reader = new GatingReader(file, "reader", RingStart.OLDEST);
        while (reader.poll(10) != RingReader.Poll.END) {
          assertThat(reader.time().baseNs()).isEqualTo(START_NS);
        }
        assertThat(reader.time().baseNs()).isEqualTo(START_NS);
      }
    }
  }

  @Test
  void shouldRefuseASecondTap() {
    assertThatThrownBy(() -> create(1)).hasMessageContaining("another tap");
  }
}
