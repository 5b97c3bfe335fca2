// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static dev.flowstone.model.abi.RingFileHeaderLayout.LINEAGE_ENTRIES;
import static dev.flowstone.model.abi.RingFileHeaderLayout.RESERVED_SLOTS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.model.abi.RingLaneLayout;
import dev.flowstone.offheap.FileLock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Several readers of a ring, one after the other and at once, and those that are gone. */
class RingReadersTest extends OneTap {
  private static final Duration LIMIT = Duration.ofSeconds(10);

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
            int group = KeyGroups.keyGroup(PacketRecord.flowHash(file.slots(), offset), 128);
            assertThat(group * 4 / 128).isEqualTo(ring);
          }
        }
      }
    }
    assertThat(offered).isEqualTo(2000).isEqualTo(writer.offeredPackets());
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

  /** A full ring, held from its oldest slot on, has no room until something is released. */
  @Test
  void shouldLeaveATapAtWorkRoomWhereItJoins() {
    writeLaps();
    writer.heartbeat(START_NS + 10 * SECOND_NS, true);
    try (RingFile file = open()) {
      long offered = file.counters().offeredPackets();
      GatingReader reader = new GatingReader(file, "late", RingStart.JOIN);
      write(slots() / 4 - 50);
      assertThat(file.counters().droppedPackets()).isZero();

      assertThat(drain(reader)).hasSize(slots() / 4 - 50);
      assertThat(reader.packetsBeforeStart()).isEqualTo(offered);
      assertThat(reader.lost().inRing()).as("what came before is no loss").isZero();
    }
  }

  @Test
  void shouldReadAllThatIsThereWhereItJoinsARingThatIsNotWrittenAnyMore() {
    writeLaps();
    try (RingFile file = open()) {
      writer.end();
      assertThat(drain(new GatingReader(file, "late", RingStart.JOIN)))
          .as("ended")
          .isEqualTo(drain(new GatingReader(file, "from the oldest", RingStart.OLDEST)));
    }
    startAgain();
    writeLaps();
    try (RingFile file = open()) {
      writer.close(); // without an end, as of a tap that was killed
      assertThat(new GatingReader(file, "late", RingStart.JOIN).position())
          .as("its tap is gone")
          .isEqualTo(new GatingReader(file, "from the oldest", RingStart.OLDEST).position());
    }
    writer = create(1);
  }

  /** What comes after it joined is its own, though no clock was told that could date it. */
  @Test
  void shouldCountAsLostWhatItCouldNotDateAfterItJoined() {
    writeLaps();
    try (RingFile file = open()) {
      long offered = file.counters().offeredPackets();
      GatingReader reader = new GatingReader(file, "late", RingStart.JOIN);
      write(100);
      writer.heartbeat(START_NS + 10 * SECOND_NS, true);
      write(50);
      writer.end();

      assertThat(drain(reader)).hasSize(50);
      assertThat(reader.packetsBeforeStart()).isEqualTo(offered);
      assertThat(reader.lost().inRing()).isEqualTo(100);
      assertThat(reader.unexplainedPackets()).isZero();
    }
  }

  /** As where the first attempt of a job failed before its first checkpoint. */
  @Test
  void shouldReadAllThatIsHeldForItWhereItJoinsAgain() {
    try (RingFile file = open()) {
      GatingReader first = new GatingReader(file, "job", RingStart.JOIN);
      write(slots() - 50);
      first.close();
      GatingReader second = new GatingReader(file, "job", RingStart.JOIN);
      assertThat(drain(second)).isEqualTo(numbers(0, slots() - 50));
    }
  }

  private void writeLaps() {
    for (int i = 0; i < 20; i++) {
      write(500);
    }
  }

  private int slots() {
    try (RingFile file = open()) {
      return (int) file.identity().slotCount();
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

  /** Where no clock was told yet, all that comes is later. */
  @Test
  void shouldBeginWithWhatComesWhereNoClockWasTold() {
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "reader", RingStart.LATEST);
      assertThat(reader.position()).isZero();
      write(5);
      assertThat(drain(reader)).isEqualTo(numbers(0, 5));
      assertThat(reader.lost().inRing()).isZero();
    }
  }

  /** The ring remembers eight of its former incarnations. */
  @Test
  void shouldSayWhenNobodyKnowsWhatItMissed() {
    try (RingFile file = open()) {
      GatingReader first = new GatingReader(file, "job", RingStart.OLDEST);
      write(10);
      drain(first);
      RingStart resume = new RingStart.Resume(first.progress());
      for (int restart = 0; restart < LINEAGE_ENTRIES; restart++) {
        startAgain();
        write(7);
      }
      try (RingFile known = open()) {
        GatingReader last = new GatingReader(known, "job", resume);
        assertThat(last.isMissedUnknown()).isFalse();
        assertThat(last.lost().inRing()).isEqualTo(7 * (LINEAGE_ENTRIES - 1));
      }
      startAgain();
      try (RingFile forgotten = open()) {
        GatingReader late = new GatingReader(forgotten, "job", resume);
        assertThat(late.isMissedUnknown()).isTrue();
        assertThat(late.lost().inRing()).as("what it knows").isZero();
      }
    }
  }

  private void startAgain() {
    writer.close();
    writer = create(1);
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

  /** Else whoever bears its name next would have to wait until it seems to be dead. */
  @Test
  void shouldSayThatItIsGoneWhenItIsClosed() {
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "job", RingStart.OLDEST);
      assertThat(file.lanes().occupants()).allMatch(RingLanes.Occupant::isAlive);
      reader.close();
      assertThat(file.lanes().occupants()).hasSize(1).noneMatch(RingLanes.Occupant::isAlive);
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
  void shouldReclaimTheSlotsOfAReaderWithoutHeartbeat() {
    List<RingSetWriter.AbandonedLane> abandoned = new ArrayList<>();
    AtomicLong clockNs = new AtomicLong(System.nanoTime());
    writer.limitSilence(LIMIT, abandoned::add, clockNs::get);
    RingProgress progress;
    try (RingFile file = open()) {
      GatingReader gone = new GatingReader(file, "gone", RingStart.OLDEST);
      write(10);
      drain(gone);
      progress = gone.progress();
      clockNs.set(heartbeatNs(file) + LIMIT.toNanos());
      write(3000);
      long droppedBefore = file.counters().droppedPackets();
      assertThat(droppedBefore).isPositive();
      assertThat(file.counters().expiredLanes()).isZero();

      clockNs.addAndGet(AbandonedLanes.LOOK_INTERVAL_NS);
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
  void shouldNotReclaimTheSlotsOfAReaderThatSentAHeartbeat() {
    AtomicLong clockNs = new AtomicLong(System.nanoTime());
    writer.limitSilence(LIMIT, lane -> {}, clockNs::get);
    try (RingFile file = open()) {
      GatingReader reader = new GatingReader(file, "slow", RingStart.OLDEST);
      setHeartbeatNs(file, clockNs.get() - 2 * LIMIT.toNanos());
      reader.showLife();
      clockNs.set(heartbeatNs(file) + LIMIT.toNanos());
      write(3000);
      assertThat(file.counters().droppedPackets()).isPositive();
      assertThat(reader.holdsLane()).isTrue();
      assertThat(file.counters().expiredLanes()).isZero();
    }
  }

  private static long heartbeatNs(RingFile file) {
    return file.lanes().occupants().getFirst().aliveNs();
  }

  private static void setHeartbeatNs(RingFile file, long heartbeatNs) {
    long offset = RingFileHeaderLayout.LANES_OFFSET + RingLaneLayout.ALIVE_NS_OFFSET;
    file.header().set(RingHeader.LONG, offset, heartbeatNs);
  }

  /** Until it moved on, it would shut the ring; for minutes if it is killed there. */
  @Test
  @Timeout(30)
  void shouldNotClaimAPositionThatIsLongGone() throws Exception {
    try (RingFile file = open()) {
      GatingReader gone = new GatingReader(file, "gone", RingStart.OLDEST);
      gone.leave();
      write(3000);
      RingStart resume = new RingStart.Resume(gone.progress());
      Thread back = new Thread(() -> new GatingReader(file, "gone", resume));
      try (FileLock _ = FileLock.tryTake(file.path()).orElseThrow()) {
        back.start();
        while (back.getState() != Thread.State.TIMED_WAITING) {
          Thread.onSpinWait();
        }
        // Nothing seems gone any more, so that the reader stays where it claims.
        file.words().withdrawReserved(0);
      }
      back.join();
      long oldest = file.position() - file.identity().slotCount() + RESERVED_SLOTS;
      assertThat(file.lanes().occupants())
          .singleElement()
          .satisfies(reader -> assertThat(reader.releasedPosition()).isEqualTo(oldest));
    }
  }
}
