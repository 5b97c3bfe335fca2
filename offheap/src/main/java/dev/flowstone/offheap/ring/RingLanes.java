// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.abi.LaneMode;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.model.abi.RingLaneLayout;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The eight reader lanes of a ring. A lane's claim word holds epoch, mode and released position and
 * changes by compare-and-set only, so that whoever lost the lane cannot move it.
 *
 * <p>Readers claim one after the other ({@link ClaimTurn}). A reader whose name a lane in use bears
 * takes that lane over in one step, and the space stays held throughout; a new name is written into
 * a lane that nobody has before that lane holds anything. So a lane that holds space has its
 * owner's name at every moment, and a reader killed while it claims leaves nothing behind. Lanes
 * are freed without a turn: by their owners, by operators, and by the producer when their readers
 * have given no sign of life for too long.
 *
 * <p>After a claim the reader looks at the producer's announcement ({@link RingWindow#settle}).
 */
public final class RingLanes {
  private final MemorySegment header;
  private final RingHeader words;
  private final ClaimTurn turn;

  RingLanes(MemorySegment header, RingHeader words, ClaimTurn turn) {
    this.header = header;
    this.words = words;
    this.turn = turn;
  }

  /**
   * What an operator sees of a lane in use.
   *
   * @param silenceNs how long ago its reader gave a sign of life
   * @param expiryNs silence after which it counts as abandoned
   */
  public record Occupant(
      int lane,
      String name,
      int mode,
      int epoch,
      int pid,
      long releasedPosition,
      long silenceNs,
      long expiryNs) {

    /** Whether the writer drops packets sooner than write over what this reader has not read. */
    public boolean holdsSpace() {
      return mode == LaneMode.GATING;
    }
  }

  /**
   * Claims a lane for a reader that starts at a position: the lane that its name has, else one that
   * nobody has. A former owner of that name is fenced.
   */
  RingLane claim(LaneOwner owner, long position) {
    try (ClaimTurn.Turn _ = turn.await()) {
      OptionalInt former = findNamesake(owner.name());
      int lane = former.isPresent() ? former.getAsInt() : takeVacant(owner.name());
      writeOwner(lane, owner);
      return new RingLane(this, lane, replaceOwner(lane, owner.mode(), position));
    }
  }

  private OptionalInt findNamesake(String name) {
    for (int lane = 0; lane < RingFileHeaderLayout.LANE_COUNT; lane++) {
      if (isInUse(claimWord(lane)) && nameOf(lane).equals(name)) {
        return OptionalInt.of(lane);
      }
    }
    return OptionalInt.empty();
  }

  /** A lane that holds nothing, with the name in it. */
  private int takeVacant(String name) {
    int lane = findFree().orElseGet(this::freeAnAbandoned);
    RingHeader.putText(
        header, offset(lane) + RingLaneLayout.NAME_OFFSET, RingLaneLayout.NAME_LENGTH, name);
    return lane;
  }

  private OptionalInt findFree() {
    for (int lane = 0; lane < RingFileHeaderLayout.LANE_COUNT; lane++) {
      if (!isInUse(claimWord(lane))) {
        return OptionalInt.of(lane);
      }
    }
    return OptionalInt.empty();
  }

  /** Only when there is no other: who is silent may be on its way back. */
  private int freeAnAbandoned() {
    for (int lane = 0; lane < RingFileHeaderLayout.LANE_COUNT; lane++) {
      if (freeIfAbandoned(lane, claimWord(lane), Long.MAX_VALUE)) {
        return lane;
      }
    }
    throw new RingFileException(
        "all "
            + RingFileHeaderLayout.LANE_COUNT
            + " reader lanes are taken: "
            + occupants()
            + "; free one whose reader is gone with ./flowstone stats DIR --free-lane N");
  }

  private void writeOwner(int lane, LaneOwner owner) {
    long at = offset(lane);
    int pid = (int) ProcessHandle.current().pid();
    header.set(RingHeader.INT, at + RingLaneLayout.READER_PID_OFFSET, pid);
    header.set(
        RingHeader.LONG,
        at + RingLaneLayout.CLAIMED_NS_OFFSET,
        System.currentTimeMillis() * 1_000_000);
    header.set(
        RingHeader.INT, at + RingLaneLayout.EXPIRY_S_OFFSET, (int) owner.expiry().toSeconds());
    showLife(lane);
  }

  /** The producer or an operator may free the lane meanwhile: then it is claimed anew. */
  private long replaceOwner(int lane, int mode, long position) {
    while (true) {
      long word = claimWord(lane);
      long claimed = LaneClaim.next(word, mode, position);
      if (compareAndSet(lane, word, claimed)) {
        return claimed;
      }
    }
  }

  private static boolean isInUse(long word) {
    return LaneClaim.mode(word) != LaneMode.FREE;
  }

  /** A sign of life of the lane's owner. */
  void showLife(int lane) {
    RingHeader.LONG_WORD.setRelease(
        header, offset(lane) + RingLaneLayout.ALIVE_NS_OFFSET, System.nanoTime());
  }

  /**
   * Frees the gating lanes that their readers have abandoned: their space is the producer's, and a
   * reader that comes back all the same is fenced and learns what it missed. Producer's thread.
   *
   * @param longestNs the longest silence that is borne, whatever the reader asked for
   */
  void freeAbandoned(long longestNs, Consumer<Occupant> freed) {
    for (int lane = 0; lane < RingFileHeaderLayout.LANE_COUNT; lane++) {
      long word = claimWord(lane);
      Optional<Occupant> occupant = occupant(lane, word);
      if (LaneClaim.mode(word) == LaneMode.GATING && freeIfAbandoned(lane, word, longestNs)) {
        occupant.ifPresent(freed);
      }
    }
  }

  /** The owner's sign of life is read after the word: if the word is still the same, it was its. */
  private boolean freeIfAbandoned(int lane, long word, long longestNs) {
    return silenceNs(lane) > Math.min(expiryNs(lane), longestNs)
        && compareAndSet(lane, word, LaneClaim.next(word, LaneMode.FREE, 0));
  }

  private long silenceNs(int lane) {
    long aliveNs =
        (long)
            RingHeader.LONG_WORD.getAcquire(header, offset(lane) + RingLaneLayout.ALIVE_NS_OFFSET);
    return Math.max(0, System.nanoTime() - aliveNs);
  }

  private long expiryNs(int lane) {
    int seconds = header.get(RingHeader.INT, offset(lane) + RingLaneLayout.EXPIRY_S_OFFSET);
    return TimeUnit.SECONDS.toNanos(Integer.toUnsignedLong(seconds));
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
    if (!isInUse(word)) {
      return Optional.empty();
    }
    return Optional.of(
        new Occupant(
            lane,
            nameOf(lane),
            LaneClaim.mode(word),
            LaneClaim.epoch(word),
            header.get(RingHeader.INT, offset(lane) + RingLaneLayout.READER_PID_OFFSET),
            LaneClaim.released(word, words.positionAcquire()),
            silenceNs(lane),
            expiryNs(lane)));
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

  private String nameOf(int lane) {
    return RingHeader.text(
        header, offset(lane) + RingLaneLayout.NAME_OFFSET, RingLaneLayout.NAME_LENGTH);
  }

  private static long offset(int lane) {
    return RingFileHeaderLayout.LANES_OFFSET
        + lane * RingLaneLayout.SIZE_BYTES
        + RingLaneLayout.CLAIM_OFFSET;
  }
}
