// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.LaneMode;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.model.abi.RingLaneLayout;
import dev.flowstone.offheap.FileLock;
import dev.flowstone.offheap.ring.RingLanes.Occupant;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who has a lane, after claims that meet and readers that fall silent. */
class RingLanesTest {
  private static final String NAME = "reader";
  private static final Duration EXPIRY = Duration.ofMinutes(10);
  private static final long LONGEST_NS = Long.MAX_VALUE;

  @TempDir private Path folder;
  private Path locked;
  private final MemorySegment header =
      MemorySegment.ofArray(new long[RingFileHeaderLayout.HEADER_BYTES / Long.BYTES]);
  private final RingHeader words = new RingHeader(header);
  private RingLanes lanes;
  private final List<Occupant> freed = new ArrayList<>();

  @BeforeEach
  void begin() throws IOException {
    locked = Files.createFile(folder.resolve("ring"));
    lanes = new RingLanes(header, words, ClaimTurn.byLockOf(locked));
    words.publishPosition(100);
  }

  private RingLane claim(String name, int mode, long position) {
    return lanes.claim(new LaneOwner(name, mode, EXPIRY), position);
  }

  /** As if the reader had last been heard of so long ago. */
  private void silence(RingLane lane, Duration silence) {
    long offset =
        RingFileHeaderLayout.LANES_OFFSET
            + lane.number() * RingLaneLayout.SIZE_BYTES
            + RingLaneLayout.ALIVE_NS_OFFSET;
    header.set(RingHeader.LONG, offset, System.nanoTime() - silence.toNanos());
  }

  @Test
  void shouldTakeOverALaneInUseWithoutLettingGoOfItsSpace() {
    RingLane former = claim(NAME, LaneMode.GATING, 10);
    RingLane successor = claim(NAME, LaneMode.GATING, 10);

    assertThat(former.isHeld()).isFalse();
    assertThat(former.release(50)).isFalse();
    assertThat(successor.number()).isEqualTo(former.number());
    assertThat(successor.isHeld()).isTrue();
    assertThat(lanes.leastHeld(100)).isEqualTo(10);
    assertThat(successor.release(50)).isTrue();
    assertThat(successor.isHeld()).as("wherever it moved").isTrue();
  }

  /** The lane has 48 bits of them: with 100 million packets a second that is a month. */
  @Test
  void shouldHoldSpaceAtPositionsThatHaveMoreBitsThanALane() {
    long held = (3L << 48) - 10;
    RingLane lane = claim(NAME, LaneMode.GATING, held);
    assertThat(lanes.leastHeld(held + 100)).as("of this lap and the one before").isEqualTo(held);
    words.publishPosition(held + 100);
    assertThat(lanes.occupants()).extracting(Occupant::releasedPosition).containsExactly(held);
    assertThat(lane.release(held + 50)).isTrue();
    assertThat(lanes.leastHeld(held + 100)).isEqualTo(held + 50);
  }

  @Test
  void shouldLeaveOneLaneToManyReadersThatStartTogether() throws Exception {
    int readers = 4;
    CyclicBarrier start = new CyclicBarrier(readers);
    try (ExecutorService threads = Executors.newFixedThreadPool(readers)) {
      for (int round = 0; round < 100; round++) {
        for (int lane = 0; lane < RingFileHeaderLayout.LANE_COUNT; lane++) {
          lanes.free(lane);
        }
        List<Callable<RingLane>> claims = new ArrayList<>();
        for (int i = 0; i < readers; i++) {
          claims.add(
              () -> {
                start.await();
                return claim(NAME, LaneMode.GATING, 0);
              });
        }
        int held = 0;
        for (Future<RingLane> claimed : threads.invokeAll(claims)) {
          held += claimed.get().isHeld() ? 1 : 0;
        }
        assertThat(held).as("who thinks it has a lane, round %d", round).isEqualTo(1);
        assertThat(lanes.occupants()).as("round %d", round).hasSize(1);
      }
    }
  }

  @Test
  void shouldNotClaimWhileAnotherReaderDoes() throws Exception {
    try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
      Future<RingLane> claimed;
      try (FileLock _ = FileLock.tryTake(locked).orElseThrow()) {
        claimed = thread.submit(() -> claim(NAME, LaneMode.GATING, 0));
        Thread.sleep(50);
        assertThat(claimed.isDone()).isFalse();
        assertThat(lanes.occupants()).isEmpty();
      }
      assertThat(claimed.get(5, TimeUnit.SECONDS).isHeld()).isTrue();
    }
  }

  @Test
  void shouldNotComeBackAfterItWasFreed() {
    RingLane lane = claim(NAME, LaneMode.GATING, 0);
    lane.free();
    lane.release(1);
    assertThat(lanes.hasGatingReader()).isFalse();
    assertThat(lanes.occupants()).isEmpty();
    assertThat(lane.isHeld()).isFalse();
  }

  @Test
  void shouldTakeTheSpaceOfAReaderThatGaveNoSignOfLife() {
    RingLane lane = claim(NAME, LaneMode.GATING, 10);
    silence(lane, EXPIRY.plusSeconds(1));
    lanes.freeAbandoned(System.nanoTime(), LONGEST_NS, freed::add);

    assertThat(freed).singleElement().satisfies(o -> assertThat(o.name()).isEqualTo(NAME));
    assertThat(lanes.hasGatingReader()).isFalse();
    assertThat(lane.isHeld()).isFalse();
    assertThat(lane.release(50)).as("it comes back").isFalse();
  }

  @Test
  void shouldLeaveAReaderAloneThatShowsLife() {
    RingLane lane = claim(NAME, LaneMode.GATING, 10);
    silence(lane, EXPIRY.plusSeconds(1));
    lane.showLife();
    lanes.freeAbandoned(System.nanoTime(), LONGEST_NS, freed::add);
    assertThat(freed).isEmpty();
    assertThat(lane.isHeld()).isTrue();
  }

  @Test
  void shouldBearTheSilenceThatAReaderAskedFor() {
    RingLane lane = lanes.claim(new LaneOwner(NAME, LaneMode.GATING, Duration.ofSeconds(20)), 10);
    silence(lane, Duration.ofSeconds(10));
    lanes.freeAbandoned(System.nanoTime(), LONGEST_NS, freed::add);
    assertThat(freed).isEmpty();
    silence(lane, Duration.ofSeconds(30));
    lanes.freeAbandoned(System.nanoTime(), LONGEST_NS, freed::add);
    assertThat(freed).hasSize(1);
  }

  @Test
  void shouldBearNoSilenceLongerThanTheProducerAllows() {
    RingLane lane = claim(NAME, LaneMode.GATING, 10);
    silence(lane, Duration.ofSeconds(30));
    lanes.freeAbandoned(System.nanoTime(), Duration.ofMinutes(1).toNanos(), freed::add);
    assertThat(freed).isEmpty();
    lanes.freeAbandoned(System.nanoTime(), Duration.ofSeconds(20).toNanos(), freed::add);
    assertThat(freed).hasSize(1);
  }

  /** Else it would take back what its successor has just been given. */
  @Test
  void shouldNotShowLifeForASuccessor() {
    RingLane former = claim(NAME, LaneMode.GATING, 10);
    RingLane successor = claim(NAME, LaneMode.GATING, 10);
    silence(successor, EXPIRY.plusSeconds(1));
    former.showLife();
    lanes.freeAbandoned(System.nanoTime(), LONGEST_NS, freed::add);
    assertThat(freed).hasSize(1);
  }

  @Test
  void shouldGiveAnAbandonedLaneToANewReaderWhenNoOtherIsFree() {
    List<RingLane> all = new ArrayList<>();
    for (int i = 0; i < RingFileHeaderLayout.LANE_COUNT; i++) {
      all.add(claim("reader-" + i, LaneMode.OBSERVING, 0));
    }
    assertThatThrownBy(() -> claim("another", LaneMode.GATING, 0))
        .hasMessageContaining("lanes are taken")
        .hasMessageContaining("--free-lane");
    silence(all.get(5), EXPIRY.plusSeconds(1));
    assertThat(claim("another", LaneMode.GATING, 0).number()).isEqualTo(5);
    assertThat(all.get(5).isHeld()).isFalse();
  }

  /** It may only be slow to restart; the producer decides, and says so. */
  @Test
  void shouldLeaveAnAbandonedLaneAloneWhileOthersAreFree() {
    RingLane silent = claim("slow", LaneMode.GATING, 10);
    silence(silent, EXPIRY.plusSeconds(1));
    assertThat(claim("another", LaneMode.GATING, 50).number()).isNotEqualTo(silent.number());
    assertThat(silent.isHeld()).isTrue();
  }

  @Test
  void shouldRefuseANameThatItCouldNotFindAgain() {
    assertThatThrownBy(() -> claim("x".repeat(49), LaneMode.GATING, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 to 48 bytes");
  }
}
