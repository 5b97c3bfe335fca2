// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.abi.RingClock;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is asked of rings by whoever carries their packets to other rings. */
class RingsOfAnotherTapTest extends OneTap {
  private static final int RINGS = 3;
  private static final ReaderName CARRIER = ReaderName.of("carrier");

  private void createThree() {
    writer.close();
    writer = create(RINGS);
  }

  private RingFile ring(int number) {
    return RingFile.open(directory.ringFile(number));
  }

  private RingCounters counters(int number) {
    try (RingFile file = ring(number)) {
      return file.counters();
    }
  }

  /** Whatever their flow hashes say: they were sorted where they came from. */
  @Test
  void shouldPutPacketsIntoTheRingThatItIsTold() {
    createThree();
    batch.fill(100, START_NS, 1000);
    writer.writeTo(2, batch.rawPackets, batch.records, batch.count);
    try (RingFile file = ring(2)) {
      assertThat(drain(new GatingReader(file, "reader", RingStart.OLDEST)))
          .isEqualTo(numbers(0, 100));
      assertThat(file.counters().offeredPackets()).isEqualTo(100);
      assertThat(file.counters().offeredBytes()).isEqualTo(10_000);
    }
    assertThat(counters(0).offeredPackets() + counters(1).offeredPackets()).isZero();
    assertThat(writer.offeredPackets()).isEqualTo(100);
  }

  @Test
  void shouldDropWhatFindsNoRoomInThatRing() {
    createThree();
    try (RingFile file = ring(1);
        GatingReader _ = new GatingReader(file, "holds", RingStart.OLDEST)) {
      batch.fill(1500, START_NS, 1000);
      writer.writeTo(1, batch.rawPackets, batch.records, batch.count);
      RingCounters counters = file.counters();
      assertThat(counters.droppedPackets()).isGreaterThan(400);
      assertThat(counters.writtenPackets() + counters.droppedPackets()).isEqualTo(1500);
    }
  }

  @Test
  void shouldWaitForRoomInThatRingWhereThatIsAskedFor() {
    writer.close();
    writer =
        RingSetWriter.create(
            directory,
            new RingSpecification(
                RINGS, SLOTS_LOG2, RingClock.SYNTHETIC, 128, "test", Optional.empty()),
            WhenFull.WAIT);
    try (RingFile file = ring(1);
        GatingReader _ = new GatingReader(file, "holds", RingStart.OLDEST)) {
      long beganNs = System.nanoTime();
      writer.limitWaiting(Duration.ofMillis(50));
      batch.fill(1500, START_NS, 1000);
      writer.writeTo(1, batch.rawPackets, batch.records, batch.count);
      assertThat(System.nanoTime() - beganNs).isGreaterThanOrEqualTo(50_000_000);
      assertThat(file.counters().droppedPackets()).isPositive();
    }
  }

  @Test
  void shouldTellOneRingTheTime() {
    createThree();
    writer.heartbeat(1, START_NS, true);
    assertThat(counters(1).latestTimeNs()).isEqualTo(START_NS);
    assertThat(counters(0).latestTimeNs()).isZero();
    assertThat(counters(2).latestTimeNs()).isZero();
  }

  /** So that whoever comes next knows of it should this producer be killed now. */
  @Test
  void shouldHaveLossesBeforeTheTapInTheHeaderAtOnce() {
    createThree();
    writer.lostBeforeTap(7, START_NS);
    assertThat(counters(0).lostBeforeTap()).isEqualTo(7);
    assertThat(counters(0).lostBeforeTapRecorded()).isZero();
  }

  @Test
  void shouldShowWhichKeyGroupsARingHas() {
    createThree();
    try (RingFile file = ring(1)) {
      assertThat(file.keyGroupTable()).isEqualTo(KeyGroups.ringTable(128, RINGS));
    }
  }

  @Test
  void shouldCountFromTheFirstPacketOnceItMeetsAClockMark() {
    write(50);
    writer.lostBeforeTap(3, START_NS);
    batch.fill(4000, START_NS + 5 * SECOND_NS, 10_000_000).writeTo(writer);
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.JOIN);
      assertThat(reader.isAccountKnown()).isFalse();
      assertThat(reader.poll(10)).isEqualTo(RingReader.Poll.CLOCK);
      assertThat(reader.isAccountKnown()).isTrue();
      assertThat(reader.accountedPackets()).isEqualTo(reader.packetsBeforeStart());
      assertThat(reader.lostBeforeTapBeforeStart()).isEqualTo(3);
      assertThat(reader.accountedBeforeTap()).isEqualTo(3);
      int read = drain(reader).size();
      assertThat(reader.accountedPackets()).isEqualTo(4050);
      assertThat(reader.packetsBeforeStart() + read).isEqualTo(4050);
    }
  }

  /** A clock mark is where a reader without a checkpoint can begin and know everything. */
  @Test
  void shouldGoOnWhereTheLaneOfAFormerReaderStands() {
    write(50);
    writer.heartbeat(START_NS + 2 * SECOND_NS, true);
    batch.fill(30, START_NS + 2 * SECOND_NS, 1000).writeTo(writer);
    try (RingFile file = open()) {
      assertThat(RingProgress.ofLane(file, CARRIER)).isEmpty();
      GatingReader former =
          new GatingReader(file, CARRIER, RingStart.OLDEST, RingReader.USUAL_EXPIRY);
      former.poll(100);
      former.poll(100);
      assertThat(former.poll(100)).isEqualTo(RingReader.Poll.CLOCK);
      former.release(former.position() - 1);
      former.poll(10);
      former.close();
      RingProgress progress = RingProgress.ofLane(file, CARRIER).orElseThrow();
      GatingReader next =
          new GatingReader(file, CARRIER, new RingStart.Resume(progress), RingReader.USUAL_EXPIRY);
      assertThat(next.poll(10)).isEqualTo(RingReader.Poll.CLOCK);
      assertThat(next.accountedPackets()).isEqualTo(50);
      assertThat(next.packetsBeforeStart()).isEqualTo(50);
      assertThat(drain(next)).isEqualTo(numbers(50, 80));
      assertThat(next.lost().inRing()).isZero();
      assertThat(RingProgress.ofLane(file, ReaderName.of("other"))).isEmpty();
    }
  }
}
