// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.abi.LaneMode;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.model.abi.RingLaneBidLayout;
import dev.flowstone.model.abi.RingLaneLayout;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * The eight reader lanes of a ring. A lane's claim word holds epoch, mode and released position and
 * changes by compare-and-set only, so that whoever lost the lane cannot move it.
 *
 * <p>A reader whose name a lane in use bears takes that lane over in one step: the name stands
 * there already, and the space stays held throughout. A new name gets a vacant lane by a {@link
 * LaneBid}, which holds nothing until its name is written and no other lane bears it. So a lane
 * that holds space has its owner's name at every moment, and of several readers that start with one
 * name, one has a lane in the end. A reader killed in between leaves a lane that holds nothing and
 * is vacant as soon as the process is seen to be gone.
 *
 * <p>After either, the reader looks at the producer's announcement ({@link RingWindow#settle}).
 */
public final class RingLanes {
  /** A claim is over within microseconds unless a rival interferes. */
  private static final int MOST_TRIES = 1000;

  /** A rival that takes longer than this many looks is pushed aside. */
  private static final int PATIENT_TRIES = 100;

  private static final String NO_NAME_YET = "(being claimed)";
  private static final long RIVAL_PAUSE_NS = 50_000;

  private final MemorySegment header;
  private final RingHeader words;

  RingLanes(MemorySegment header, RingHeader words) {
    this.header = header;
    this.words = words;
  }

  /** What an operator sees of a lane in use. */
  public record Occupant(
      int lane, String name, int mode, int epoch, int pid, long releasedPosition) {
    public boolean isAlive() {
      return RingLanes.isAlive(pid);
    }

    /** Whether the writer drops packets sooner than write over what this reader has not read. */
    public boolean holdsSpace() {
      return mode == LaneMode.GATING;
    }
  }

  /**
   * Claims a lane for a reader that starts at a position: the lane that this name has, else a
   * vacant one. Its former owner is fenced.
   */
  RingLane claim(String name, int mode, long position) {
    for (int tries = 0; tries < MOST_TRIES; tries++) {
      Optional<RingLane> claimed = tryClaim(name, mode, position, tries < PATIENT_TRIES);
      if (claimed.isPresent()) {
        return claimed.get();
      }
      LockSupport.parkNanos(RIVAL_PAUSE_NS);
    }
    throw new RingFileException(
        "after "
            + MOST_TRIES
            + " tries reader "
            + name
            + " still has no lane: others claim and free lanes all the time: "
            + occupants());
  }

  private Optional<RingLane> tryClaim(String name, int mode, long position, boolean isPatient) {
    for (int lane = 0; lane < RingFileHeaderLayout.LANE_COUNT; lane++) {
      long word = claimWord(lane);
      if (isInUse(word) && bears(lane, name)) {
        return takeOver(lane, word, mode, position);
      }
    }
    Optional<LaneBid> opened = openBid(name);
    if (opened.isEmpty()) {
      return Optional.empty();
    }
    LaneBid bid = opened.get();
    bid.writeName();
    if (!bid.announce()) {
      return Optional.empty();
    }
    if (!bid.isOnlyOne(isPatient)) {
      bid.withdraw();
      return Optional.empty();
    }
    return bid.hold(mode, position);
  }

  /** The name was read after the word: if the word is still the same, so is the name. */
  private Optional<RingLane> takeOver(int lane, long word, int mode, long position) {
    long claimed = LaneClaim.next(word, mode, position);
    if (!compareAndSet(lane, word, claimed)) {
      return Optional.empty();
    }
    writeOwner(lane, (int) ProcessHandle.current().pid());
    return Optional.of(new RingLane(this, lane, claimed));
  }

  /** Empty: a rival was faster. */
  private Optional<LaneBid> openBid(String name) {
    int pid = (int) ProcessHandle.current().pid();
    long nowSeconds = nowSeconds();
    for (int lane = 0; lane < RingFileHeaderLayout.LANE_COUNT; lane++) {
      long word = claimWord(lane);
      if (isVacant(word, nowSeconds)) {
        return LaneBid.open(this, lane, word, new LaneBid.Reader(name, pid, nowSeconds));
      }
    }
    throw new RingFileException(
        "all "
            + RingFileHeaderLayout.LANE_COUNT
            + " reader lanes are taken: "
            + occupants()
            + "; free one whose process is gone with ./flowstone stats DIR --free-lane N");
  }

  /** Whether a reader has the lane for good. */
  static boolean isInUse(long word) {
    return LaneClaim.mode(word) == LaneMode.GATING || LaneClaim.mode(word) == LaneMode.OBSERVING;
  }

  /**
   * Whether nobody has the lane or is about to. A claim is cut off when its process is gone; the
   * time besides is for readers in containers, whose processes look gone from another one.
   */
  static boolean isVacant(long word, long nowSeconds) {
    return switch (LaneClaim.mode(word)) {
      case LaneMode.FREE -> true;
      case LaneMode.CLAIMING ->
          LaneClaim.claimingSeconds(word, nowSeconds) > RingLaneBidLayout.STALE_SECONDS
              && !isAlive(LaneClaim.claimerPid(word));
      default -> false;
    };
  }

  private static boolean isAlive(int pid) {
    return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
  }

  static long nowSeconds() {
    return System.currentTimeMillis() / 1000;
  }

  void writeName(int lane, String name, int pid) {
    RingHeader.putText(
        header, offset(lane) + RingLaneLayout.NAME_OFFSET, RingLaneLayout.NAME_LENGTH, name);
    writeOwner(lane, pid);
  }

  private void writeOwner(int lane, int pid) {
    header.set(RingHeader.INT, offset(lane) + RingLaneLayout.READER_PID_OFFSET, pid);
    header.set(
        RingHeader.LONG,
        offset(lane) + RingLaneLayout.CLAIMED_NS_OFFSET,
        System.currentTimeMillis() * 1_000_000);
  }

  boolean bears(int lane, String name) {
    return nameOf(lane).equals(name);
  }

  /** Frees a lane whatever its owner thinks; that owner is fenced. Returns who had it. */
  public Optional<Occupant> free(int lane) {
    if (lane < 0 || lane >= RingFileHeaderLayout.LANE_COUNT) {
      throw new IllegalArgumentException(
          "lanes are 0 to " + (RingFileHeaderLayout.LANE_COUNT - 1) + ": " + lane);
    }
    while (true) {
      long word = claimWord(lane);
      Optional<Occupant> occupant = occupant(lane, word);
      if (occupant.isEmpty() || compareAndSet(lane, word, LaneClaim.next(word, LaneMode.FREE, 0))) {
        return occupant;
      }
    }
  }

  public List<Occupant> occupants() {
    List<Occupant> found = new ArrayList<>();
    for (int lane = 0; lane < RingFileHeaderLayout.LANE_COUNT; lane++) {
      occupant(lane, claimWord(lane)).ifPresent(found::add);
    }
    return found;
  }

  private Optional<Occupant> occupant(int lane, long word) {
    if (isVacant(word, nowSeconds())) {
      return Optional.empty();
    }
    int mode = LaneClaim.mode(word);
    int epoch = LaneClaim.epoch(word);
    long position = words.positionAcquire();
    if (mode == LaneMode.CLAIMING) {
      int pid = LaneClaim.claimerPid(word);
      return Optional.of(new Occupant(lane, NO_NAME_YET, mode, epoch, pid, position));
    }
    int pid = header.get(RingHeader.INT, offset(lane) + RingLaneLayout.READER_PID_OFFSET);
    long released = LaneClaim.released(word, position);
    return Optional.of(new Occupant(lane, nameOf(lane), mode, epoch, pid, released));
  }

  public boolean hasGatingReader() {
    for (int lane = 0; lane < RingFileHeaderLayout.LANE_COUNT; lane++) {
      if (LaneClaim.mode(claimWord(lane)) == LaneMode.GATING) {
        return true;
      }
    }
    return false;
  }

  /**
   * The smallest position that a gating reader still holds, or Long.MAX_VALUE. Producer's thread.
   */
  long leastHeld(long producerPosition) {
    long least = Long.MAX_VALUE;
    for (int lane = 0; lane < RingFileHeaderLayout.LANE_COUNT; lane++) {
      long word = claimWord(lane);
      if (LaneClaim.mode(word) == LaneMode.GATING) {
        least = Math.min(least, LaneClaim.released(word, producerPosition));
      }
    }
    return least;
  }

  long claimWord(int lane) {
    return (long) RingHeader.LONG_WORD.getVolatile(header, offset(lane));
  }

  boolean compareAndSet(int lane, long expected, long update) {
    return RingHeader.LONG_WORD.compareAndSet(header, offset(lane), expected, update);
  }

  String nameOf(int lane) {
    return RingHeader.text(
        header, offset(lane) + RingLaneLayout.NAME_OFFSET, RingLaneLayout.NAME_LENGTH);
  }

  private static long offset(int lane) {
    return RingFileHeaderLayout.LANES_OFFSET
        + lane * RingLaneLayout.SIZE_BYTES
        + RingLaneLayout.CLAIM_OFFSET;
  }
}
