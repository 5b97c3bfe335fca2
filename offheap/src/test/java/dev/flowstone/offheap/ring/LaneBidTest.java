// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.LaneMode;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.model.abi.RingLaneBidLayout;
import dev.flowstone.model.abi.RingLaneLayout;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Claims of lanes that are cut off after each of their steps, and claims that meet. */
class LaneBidTest {
  private static final String NAME = "reader";
  private static final long STALE = RingLaneBidLayout.STALE_SECONDS + 1;
  private static final int LANES = RingFileHeaderLayout.LANE_COUNT;
  private static final int LAST = LANES - 1;
  private static int deadPid;

  private final MemorySegment header =
      MemorySegment.ofArray(new long[RingFileHeaderLayout.HEADER_BYTES / Long.BYTES]);
  private final RingHeader words = new RingHeader(header);
  private final RingLanes lanes = new RingLanes(header, words);

  /** After which step a claim is cut off. */
  enum Step {
    OPEN,
    WRITE_NAME,
    ANNOUNCE,
    LOOK,
    HOLD
  }

  @BeforeAll
  static void letAProcessDie() throws IOException, InterruptedException {
    Process process = new ProcessBuilder("true").start();
    process.waitFor();
    deadPid = (int) process.pid();
  }

  private LaneBid open(int lane, LaneBid.Reader reader) {
    return LaneBid.open(lanes, lane, lanes.claimWord(lane), reader).orElseThrow();
  }

  private static LaneBid.Reader alive() {
    return new LaneBid.Reader(
        NAME, (int) ProcessHandle.current().pid(), RingLanes.nowSeconds() - STALE);
  }

  private static LaneBid.Reader dead() {
    return new LaneBid.Reader(NAME, deadPid, RingLanes.nowSeconds() - STALE);
  }

  private void cutOffAfter(Step last, int lane, LaneBid.Reader reader) {
    LaneBid bid = open(lane, reader);
    if (last.compareTo(Step.WRITE_NAME) >= 0) {
      bid.writeName();
    }
    if (last.compareTo(Step.ANNOUNCE) >= 0) {
      assertThat(bid.announce()).isTrue();
    }
    if (last.compareTo(Step.LOOK) >= 0) {
      assertThat(bid.isOnlyOne(true)).isTrue();
    }
    if (last.compareTo(Step.HOLD) >= 0) {
      assertThat(bid.hold(LaneMode.GATING, 0)).isPresent();
    }
  }

  private void fillAllLanesButTheLast() {
    for (int lane = 0; lane < LAST; lane++) {
      assertThat(lanes.claim("other-" + lane, LaneMode.OBSERVING, 0).number()).isEqualTo(lane);
    }
  }

  @ParameterizedTest
  @EnumSource(Step.class)
  void shouldHoldTheRingOnlyUnderItsOwnName(Step last) {
    RingHeader.putText(header, nameOffset(0), 48, "former owner");
    cutOffAfter(last, 0, dead());

    assertThat(lanes.hasGatingReader()).isEqualTo(last == Step.HOLD);
    for (RingLanes.Occupant occupant : lanes.occupants()) {
      assertThat(occupant.name()).isEqualTo(NAME);
      assertThat(occupant.pid()).isEqualTo(deadPid);
    }
  }

  @ParameterizedTest
  @EnumSource(Step.class)
  void shouldGiveTheSuccessorTheLaneOfAClaimThatWasCutOff(Step last) {
    cutOffAfter(last, 0, dead());
    words.publishPosition(100);
    RingLane successor = lanes.claim(NAME, LaneMode.GATING, 90);

    assertThat(successor.number()).isZero();
    assertThat(lanes.leastHeld(100)).as("held by the successor alone").isEqualTo(90);
    assertThat(lanes.occupants()).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(
      value = Step.class,
      names = {"OPEN", "WRITE_NAME", "ANNOUNCE", "LOOK"})
  void shouldGiveTheLastLaneToAnotherWhenItsClaimWasCutOff(Step last) {
    fillAllLanesButTheLast();
    cutOffAfter(last, LAST, dead());
    assertThat(lanes.claim("another", LaneMode.GATING, 0).number()).isEqualTo(LAST);
  }

  @Test
  void shouldNotTakeALaneFromAClaimUnderWay() {
    fillAllLanesButTheLast();
    LaneBid bid = open(LAST, alive());
    assertThatThrownBy(() -> lanes.claim("another", LaneMode.GATING, 0))
        .hasMessageContaining("lanes are taken");
    bid.writeName();
    assertThat(bid.announce()).isTrue();
    assertThat(bid.hold(LaneMode.GATING, 0)).isPresent();
  }

  /** A process of another container looks gone from here. */
  @Test
  void shouldGiveAProcessThatLooksGoneSomeSeconds() {
    fillAllLanesButTheLast();
    open(LAST, new LaneBid.Reader(NAME, deadPid, RingLanes.nowSeconds()));
    assertThatThrownBy(() -> lanes.claim("another", LaneMode.GATING, 0))
        .hasMessageContaining("being claimed");
  }

  @Test
  void shouldEndAClaimWhoseLaneWasTakenMeanwhile() {
    LaneBid bid = open(0, dead());
    bid.writeName();
    RingLane faster = lanes.claim("another", LaneMode.GATING, 0);

    assertThat(bid.announce()).isFalse();
    bid.withdraw();
    assertThat(bid.hold(LaneMode.GATING, 0)).isEmpty();
    assertThat(faster.isHeld()).isTrue();
  }

  @Test
  void shouldLetAnOperatorFreeALaneThatIsBeingClaimed() {
    LaneBid bid = open(0, alive());
    assertThat(lanes.free(0))
        .hasValueSatisfying(o -> assertThat(o.mode()).isEqualTo(LaneMode.CLAIMING));
    assertThat(bid.announce()).isFalse();
  }

  @Test
  void shouldTakeOverALaneInUseWithoutLettingGoOfItsSpace() {
    words.publishPosition(100);
    RingLane former = lanes.claim(NAME, LaneMode.GATING, 10);
    RingLane successor = lanes.claim(NAME, LaneMode.GATING, 10);

    assertThat(former.isHeld()).isFalse();
    assertThat(former.release(50)).isFalse();
    assertThat(successor.isHeld()).isTrue();
    assertThat(lanes.leastHeld(100)).isEqualTo(10);
    assertThat(successor.release(50)).isTrue();
    assertThat(successor.isHeld()).as("wherever it moved").isTrue();
  }

  @Test
  void shouldGiveWayToTheRivalInTheLowerLane() {
    LaneBid lower = open(0, alive());
    LaneBid higher = open(1, alive());
    for (LaneBid bid : List.of(lower, higher)) {
      bid.writeName();
      assertThat(bid.announce()).isTrue();
    }
    assertThat(higher.isOnlyOne(true)).isFalse();
    assertThat(lower.isOnlyOne(true)).isTrue();
    assertThat(higher.hold(LaneMode.GATING, 0)).as("pushed aside").isEmpty();
    assertThat(lower.hold(LaneMode.GATING, 0)).isPresent();
  }

  @Test
  void shouldNotWaitForeverForTheRivalInTheLowerLane() {
    cutOffAfter(Step.ANNOUNCE, 0, alive());
    assertThat(lanes.claim(NAME, LaneMode.GATING, 0).isHeld()).isTrue();
    assertThat(lanes.occupants()).hasSize(1);
  }

  @Test
  void shouldLeaveOneLaneToManyReadersThatStartTogether() throws Exception {
    int readers = 4;
    CyclicBarrier start = new CyclicBarrier(readers);
    try (ExecutorService threads = Executors.newFixedThreadPool(readers)) {
      for (int round = 0; round < 200; round++) {
        for (int lane = 0; lane < LANES; lane++) {
          lanes.free(lane);
        }
        List<Callable<RingLane>> claims = new ArrayList<>();
        for (int i = 0; i < readers; i++) {
          claims.add(
              () -> {
                start.await();
                return lanes.claim(NAME, LaneMode.GATING, 0);
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
  void shouldNotComeBackAfterItWasFreed() {
    RingLane lane = lanes.claim(NAME, LaneMode.GATING, 0);
    lane.free();
    lane.release(1);
    assertThat(lanes.hasGatingReader()).isFalse();
    assertThat(lanes.occupants()).isEqualTo(List.of());
    assertThat(lane.isHeld()).isFalse();
  }

  private static long nameOffset(int lane) {
    return RingFileHeaderLayout.LANES_OFFSET
        + lane * RingLaneLayout.SIZE_BYTES
        + RingLaneLayout.NAME_OFFSET;
  }
}
