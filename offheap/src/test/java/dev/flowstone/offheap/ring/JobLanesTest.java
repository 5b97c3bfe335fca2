// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.LaneMode;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.model.abi.RingLaneLayout;
import dev.flowstone.offheap.ring.RingLanes.Occupant;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which jobs share a reader's name, one after the other, and which may not. */
class JobLanesTest {
  private static final ReaderName.Job FIRST = new ReaderName.Job("0123456789ab", "packets by day");
  private static final ReaderName.Job SECOND = new ReaderName.Job("fedcba987654", "again");
  private static final Duration DEAD = Duration.ofSeconds(6);

  @TempDir private Path folder;
  private final MemorySegment header =
      MemorySegment.ofArray(new long[RingFileHeaderLayout.HEADER_BYTES / Long.BYTES]);
  private final RingHeader words = new RingHeader(header);
  private RingLanes lanes;

  @BeforeEach
  void begin() throws IOException {
    Path locked = Files.createFile(folder.resolve("ring"));
    lanes = new RingLanes(header, words, ClaimTurn.byLockOf(locked));
    words.publishPosition(100);
  }

  private RingLane claim(ReaderName reader, long position) {
    return lanes.claim(new LaneOwner(reader, LaneMode.GATING, RingReader.USUAL_EXPIRY), position);
  }

  private RingLane claim(ReaderName.Job job, long position) {
    return claim(ReaderName.ofJob("platform", job), position);
  }

  private void silence(RingLane lane, Duration silence) {
    long offset =
        RingFileHeaderLayout.LANES_OFFSET
            + lane.number() * RingLaneLayout.SIZE_BYTES
            + RingLaneLayout.ALIVE_NS_OFFSET;
    header.set(RingHeader.LONG, offset, System.nanoTime() - silence.toNanos());
  }

  @Test
  void shouldRefuseAnotherJobWhileOneLivesAndNameIt() {
    RingLane first = claim(FIRST, 10);
    assertThatThrownBy(() -> claim(SECOND, 20))
        .isInstanceOf(LaneTakenException.class)
        .hasMessageContaining("\"platform\"")
        .hasMessageContaining("packets by day")
        .hasMessageContaining("01234567")
        .hasMessageContaining("process " + ProcessHandle.current().pid());
    assertThat(first.isHeld()).isTrue();
    assertThat(lanes.occupants()).hasSize(1);
  }

  @Test
  void shouldLetAnotherAttemptOfTheSameJobTakeOver() {
    RingLane zombie = claim(FIRST, 10);
    RingLane attempt = claim(FIRST, 10);
    assertThat(attempt.number()).isEqualTo(zombie.number());
    assertThat(zombie.isHeld()).isFalse();
  }

  @Test
  void shouldTakeTheSpaceOverFromAJobThatIsDead() {
    RingLane dead = claim(FIRST, 10);
    silence(dead, DEAD);
    requireTakenOver(dead);
  }

  @Test
  void shouldTakeTheSpaceOverAtOnceFromAJobThatClosed() {
    RingLane closed = claim(FIRST, 10);
    closed.rest();
    requireTakenOver(closed);
  }

  private void requireTakenOver(RingLane former) {
    RingLane successor = claim(SECOND, 10);
    assertThat(former.isHeld()).isFalse();
    assertThat(former.release(50)).isFalse();
    assertThat(lanes.leastHeld(100)).isEqualTo(10);
    assertThat(lanes.occupants()).extracting(Occupant::name).containsExactly("platform");
    assertThat(successor.isHeld()).isTrue();
  }

  @Test
  void shouldShowLifeAgainAfterAClosingZombieSaidThatItIsGone() {
    RingLane lane = claim(FIRST, 10);
    lane.rest();
    lane.showLife();
    assertThatThrownBy(() -> claim(SECOND, 10)).isInstanceOf(LaneTakenException.class);
  }

  @Test
  void shouldNotSayOfASuccessorThatItIsGone() {
    RingLane zombie = claim(FIRST, 10);
    claim(FIRST, 10);
    zombie.rest();
    assertThat(lanes.occupants().getFirst().isAlive()).isTrue();
  }

  @Test
  void shouldTakeOverWhereAllLanesAreTaken() {
    RingLane dead = claim(FIRST, 10);
    for (int lane = 1; lane < RingFileHeaderLayout.LANE_COUNT; lane++) {
      claim(ReaderName.of("other " + lane), 10);
    }
    silence(dead, DEAD);
    assertThat(claim(SECOND, 10).number()).isEqualTo(dead.number());
    assertThat(lanes.occupants()).hasSize(RingFileHeaderLayout.LANE_COUNT);
  }

  @Test
  void shouldGoByTheNameAloneWhereAReaderBelongsToNoJob() {
    RingLane first = claim(ReaderName.of("platform"), 10);
    RingLane second = claim(FIRST, 10);
    assertThat(first.isHeld()).isFalse();
    claim(ReaderName.of("platform"), 10);
    assertThat(second.isHeld()).isFalse();
    assertThat(lanes.occupants()).hasSize(1);
  }

  @Test
  void shouldGiveReadersOfOneJobWithOtherNamesLanesOfTheirOwn() {
    claim(ReaderName.ofJob("left", FIRST), 10);
    claim(ReaderName.ofJob("right", FIRST), 10);
    assertThat(lanes.occupants()).extracting(Occupant::name).containsExactly("left", "right");
  }

  @Test
  void shouldSayAsMuchOfAJobsNameAsThereIsRoomFor() {
    ReaderName.Job job = new ReaderName.Job("0123456789ab", "\u00fc".repeat(40));
    claim(ReaderName.ofJob("x".repeat(30), job), 10);
    ReaderName said = lanes.occupants().getFirst().reader();
    assertThat(said.name()).isEqualTo("x".repeat(30));
    assertThat(said.job().orElseThrow())
        .isEqualTo(new ReaderName.Job("01234567", "\u00fc".repeat(4)));
    assertThat(claim(ReaderName.ofJob("x".repeat(30), job), 10).number()).isZero();
  }

  @Test
  void shouldRefuseNamesThatLeaveNoRoomForAJob() {
    assertThatThrownBy(() -> ReaderName.ofJob("x".repeat(40), FIRST))
        .hasMessageContaining("1 to 39 bytes");
    assertThatThrownBy(() -> ReaderName.ofJob("a#b", FIRST)).hasMessageContaining("#");
    assertThat(ReaderName.parse("a#b")).isEqualTo(ReaderName.of("a#b"));
  }
}
