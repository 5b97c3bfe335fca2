// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.LaneMode;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.model.abi.RingLaneLayout;
import dev.flowstone.offheap.ring.RingLanes.Occupant;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Readers in another language and another process, written from the protocol's page: they must find
 * what this side's producer wrote, and it must respect them.
 */
@Timeout(60)
class ForeignReaderTest {
  private static final long GAP_NS = 1_000_000;
  private static final long START_NS = 1_795_219_200_000L * GAP_NS;
  private static final int SLOTS_LOG2 = 10;
  private static final int SLOTS = 1 << SLOTS_LOG2;
  private static final int BATCH_PACKETS = 64;
  private static final Duration EXPIRY = Duration.ofMinutes(1);

  // What a reader answers.
  private static final int PACKETS = 0;
  private static final int LOST = 1;
  private static final int LOST_BEFORE_TAP = 2;
  private static final int UNEXPLAINED = 3;
  private static final int IS_END = 4;

  @TempDir private Path folder;
  private final Arena arena = Arena.ofShared();
  private RecordBatch batch;
  private RingSetWriter writer;
  private RingFile file;
  private int offered;

  @BeforeAll
  static void build() throws Exception {
    ForeignProgram.build();
  }

  @BeforeEach
  void begin() {
    batch = new RecordBatch(arena);
    writer =
        RingSetWriter.create(
            new RingDirectory(folder),
            new RingSpecification(
                1, SLOTS_LOG2, RingClock.SYNTHETIC, 128, "test", Optional.empty()),
            WhenFull.DROP);
    file = writer.ringFile(0);
  }

  @AfterEach
  void end() {
    writer.close();
    arena.close();
  }

  private ForeignProgram startReader(String name, String mode) throws IOException {
    ForeignProgram reader =
        new ForeignProgram("ring-reader", file.path(), name, mode, EXPIRY.toSeconds());
    assertThat(reader.answer()).isEqualTo("ready");
    return reader;
  }

  private void write(int packets) {
    int end = offered + packets;
    while (offered < end) {
      int count = Math.min(BATCH_PACKETS, end - offered);
      batch.fill(count, START_NS + offered * GAP_NS, GAP_NS).writeTo(writer);
      offered += count;
    }
  }

  private Occupant occupant() {
    assertThat(file.lanes().occupants()).hasSize(1);
    return file.lanes().occupants().getFirst();
  }

  private void requireBalance(long[] told) {
    assertThat(told[IS_END]).isEqualTo(1);
    assertThat(told[PACKETS] + told[LOST]).isEqualTo(offered);
    assertThat(told[LOST_BEFORE_TAP]).isEqualTo(file.counters().lostBeforeTap());
    assertThat(told[UNEXPLAINED]).isZero();
  }

  @Test
  void shouldGetEachPacketOnceWhileItIsWritten() throws Exception {
    try (ForeignProgram gating = startReader("gating", "gating");
        ForeignProgram observing = startReader("observing", "observing")) {
      observing.tell("follow");
      write(2 * SLOTS);
      gating.tell("follow");
      writer.lostBeforeTap(7, START_NS);
      for (int i = 0; i < 500; i++) {
        write(2 * BATCH_PACKETS);
        LockSupport.parkNanos(100_000);
      }
      writer.end();
      long[] told = ForeignProgram.numbers(gating.answer());

      requireBalance(told);
      assertThat(told[PACKETS]).isEqualTo(file.counters().writtenPackets());
      assertThat(told[LOST]).isGreaterThan(SLOTS);
      long[] observed = ForeignProgram.numbers(observing.answer());
      requireBalance(observed);
      assertThat(observed[PACKETS]).isPositive();
    }
  }

  @Test
  void shouldHoldTheRingUntilItReleases() throws Exception {
    try (ForeignProgram reader = startReader("reader", "gating")) {
      write(2 * SLOTS);
      assertThat(file.counters().droppedPackets()).isGreaterThan(SLOTS);
      long[] told = reader.ask("read");
      assertThat(told[PACKETS]).isEqualTo(file.counters().writtenPackets());
      long droppedBefore = file.counters().droppedPackets();
      write(10);
      assertThat(file.counters().droppedPackets()).isEqualTo(droppedBefore + 10);

      reader.ask("release");
      write(10);
      assertThat(file.counters().droppedPackets()).isEqualTo(droppedBefore + 10);
      reader.ask("leave");
      assertThat(file.lanes().occupants()).isEmpty();
    }
  }

  @Test
  void shouldBeToldApartByNameAndFencedByASuccessor() throws Exception {
    try (ForeignProgram former = startReader("reader", "gating")) {
      int epoch = occupant().epoch();
      assertThat(occupant().name()).isEqualTo("reader");
      assertThat(occupant().mode()).isEqualTo(LaneMode.GATING);
      assertThat(Duration.ofNanos(occupant().expiryNs())).isEqualTo(EXPIRY);

      GatingReader successor = new GatingReader(file, "reader", RingStart.OLDEST);
      assertThat(occupant().epoch()).isEqualTo(epoch + 1);
      former.tell("release");
      assertThat(former.answer()).isEqualTo("the lane is lost");
      try (ForeignProgram _ = startReader("reader", "gating")) {
        assertThat(occupant().epoch()).isEqualTo(epoch + 2);
        assertThatThrownBy(() -> successor.poll(1)).isInstanceOf(RingFileException.class);
      }
    }
  }

  @Test
  void shouldLoseItsSpaceOnlyWhenItShowsNoLife() throws Exception {
    AtomicLong clockNs = new AtomicLong(System.nanoTime());
    writer.limitSilence(EXPIRY.plusDays(1), lane -> {}, clockNs::get);
    try (ForeignProgram reader = startReader("reader", "gating")) {
      showNoLifeSince(EXPIRY.plusSeconds(1));
      reader.ask("alive");
      assertThat(Duration.ofNanos(occupant().silenceNs())).isLessThan(EXPIRY);
      clockNs.set(occupant().aliveNs() + EXPIRY.toNanos());
      write(2 * SLOTS);
      assertThat(file.lanes().hasGatingReader()).isTrue();

      clockNs.addAndGet(AbandonedLanes.LOOK_INTERVAL_NS);
      write(1);
      assertThat(file.lanes().occupants()).isEmpty();
      assertThat(file.counters().expiredLanes()).isEqualTo(1);
      reader.tell("read");
      assertThat(reader.answer()).isEqualTo("the lane is lost");
    }
  }

  @Test
  void shouldTakeAnAbandonedLaneOnlyWhereNoneIsFree() throws Exception {
    new ObservingReader(file, "slow", RingStart.OLDEST);
    showNoLifeSince(0, RingReader.USUAL_EXPIRY.plusSeconds(1));
    try (ForeignProgram _ = startReader("another", "observing")) {
      assertThat(names()).containsExactly("slow", "another");
      for (int lane = 2; lane < RingFileHeaderLayout.LANE_COUNT; lane++) {
        new ObservingReader(file, "reader-" + lane, RingStart.OLDEST);
      }
      try (ForeignProgram _ = startReader("last", "observing")) {
        assertThat(names()).startsWith("last", "another").doesNotContain("slow");
      }
    }
  }

  private List<String> names() {
    return file.lanes().occupants().stream().map(Occupant::name).toList();
  }

  private void showNoLifeSince(Duration silence) {
    showNoLifeSince(occupant().lane(), silence);
  }

  private void showNoLifeSince(int lane, Duration silence) {
    long offset =
        RingFileHeaderLayout.LANES_OFFSET
            + lane * RingLaneLayout.SIZE_BYTES
            + RingLaneLayout.ALIVE_NS_OFFSET;
    file.header().set(RingHeader.LONG, offset, System.nanoTime() - silence.toNanos());
  }
}
