// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.abi.LaneMode;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.model.abi.RingLaneLayout;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The eight reader lanes of a ring. A lane's claim word holds epoch, mode and released position and
 * changes by compare-and-set only, so that whoever lost the lane cannot move it.
 */
public final class RingLanes {
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
      return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }
  }

  /**
   * Claims a lane for a reader that starts at a position: the lane that last bore this name, else a
   * free one. Its former owner is fenced.
   */
  RingLane claim(String name, int mode, long position) {
    for (int lane = 0; lane < RingFileHeaderLayout.LANE_COUNT; lane++) {
      if (nameOf(lane).equals(name)) {
        return take(lane, claimWord(lane), name, mode, position)
            .orElseGet(() -> claim(name, mode, position));
      }
    }
    for (int lane = 0; lane < RingFileHeaderLayout.LANE_COUNT; lane++) {
      long word = claimWord(lane);
      if (LaneClaim.mode(word) == LaneMode.FREE) {
        Optional<RingLane> taken = take(lane, word, name, mode, position);
        if (taken.isPresent()) {
          return taken.get();
        }
      }
    }
    throw new RingFileException(
        "all "
            + RingFileHeaderLayout.LANE_COUNT
            + " reader lanes are taken: "
            + occupants()
            + "; free one whose process is gone with ./flowstone stats DIR --free-lane N");
  }

  private Optional<RingLane> take(int lane, long word, String name, int mode, long position) {
    long claimed = LaneClaim.next(word, mode, position);
    if (!compareAndSet(lane, word, claimed)) {
      return Optional.empty();
    }
    long offset = offset(lane);
    long pid = ProcessHandle.current().pid();
    RingHeader.putText(
        header, offset + RingLaneLayout.NAME_OFFSET, RingLaneLayout.NAME_LENGTH, name);
    header.set(RingHeader.INT, offset + RingLaneLayout.READER_PID_OFFSET, (int) pid);
    header.set(
        RingHeader.LONG,
        offset + RingLaneLayout.CLAIMED_NS_OFFSET,
        System.currentTimeMillis() * 1_000_000);
    return Optional.of(new RingLane(this, lane, claimed));
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
    if (LaneClaim.mode(word) == LaneMode.FREE) {
      return Optional.empty();
    }
    int pid = header.get(RingHeader.INT, offset(lane) + RingLaneLayout.READER_PID_OFFSET);
    long released = LaneClaim.released(word, words.positionAcquire());
    return Optional.of(
        new Occupant(
            lane, nameOf(lane), LaneClaim.mode(word), LaneClaim.epoch(word), pid, released));
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
