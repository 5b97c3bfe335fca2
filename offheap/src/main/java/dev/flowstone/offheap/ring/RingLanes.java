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
 * owner's name at every moment, and a reader killed while it claims leaves nothing behind. No job
 * takes the name of another one that lives; a reader that belongs to no job takes it from anybody,
 * and leaves it to anybody ({@link ReaderName}). Lanes are freed without a turn: by their owners,
 * by operators, and by the producer when their readers have given no sign of life for too long.
 *
 * <p>After a claim the reader looks at the producer's announcement ({@link RingWindow#settle}).
 */
public final class RingLanes {
  /** In place of a process id. */
  private static final int RESTING = 0;

  /** Readers show life each second; who has not for so long is dead, or as good as dead. */
  public static final long LONGEST_LIVING_SILENCE_NS = TimeUnit.SECONDS.toNanos(5);

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
   * @param pid of its reader's process; 0 when that one has closed the ring
   * @param aliveNs when its reader gave a sign of life, by {@link System#nanoTime}
   * @param silenceNs how long ago that was
   * @param expiryNs silence after which it counts as abandoned
   */
  public record Occupant(
      int lane,
      ReaderName reader,
      int mode,
      int epoch,
      int pid,
      long releasedPosition,
      long aliveNs,
      long silenceNs,
      long expiryNs) {

    /** Whether the writer drops packets sooner than write over what this reader has not read. */
    public boolean holdsSpace() {
      return mode == LaneMode.GATING;
    }

    public String name() {
      return reader.name();
    }

    /** Whether its reader has it open, as far as anybody can see from outside. */
    public boolean isAlive() {
      return pid != RESTING && silenceNs < LONGEST_LIVING_SILENCE_NS;
    }

    /**
     * What whoever wants its name is told.
     *
     * @param signOfLife how it is known to live, such as {@code which is at work}
     */
    public String refuseName(String signOfLife) {
      return "the reader name \"%s\" is taken by %s of process %d, %s: give this job a name of its own (--name, --reader-name; in code readerName), or end that one"
          .formatted(
              reader.name(),
              reader.job().map(ReaderName.Job::toString).orElse("a reader"),
              pid,
              signOfLife);
    }
  }

  /**
   * Claims a lane for a reader that starts at a position: the lane that it or another attempt of
   * its job had, which is fenced, else one that nobody has. A lane that another job left behind
   * under that name is freed once this one holds the space.
   *
   * @throws LaneTakenException if that other job lives
   */
  RingLane claim(LaneOwner owner, long position) {
    try (ClaimTurn.Turn _ = turn.await()) {
      List<Occupant> namesakes = namesakesOf(owner.reader());
      namesakes.forEach(namesake -> requireMayTakeOver(owner.reader(), namesake));
      String text = owner.reader().laneText();
      int lane = laneSaying(text).orElseGet(() -> takeVacant(text, namesakes));
      writeOwner(lane, owner);
      RingLane claimed = new RingLane(this, lane, replaceOwner(lane, owner.mode(), position));
      namesakes.stream().mapToInt(Occupant::lane).filter(l -> l != lane).forEach(this::free);
      return claimed;
    }
  }

  private List<Occupant> namesakesOf(ReaderName reader) {
    return occupants().stream().filter(occupant -> occupant.reader().isNamesakeOf(reader)).toList();
  }

  private void requireMayTakeOver(ReaderName reader, Occupant namesake) {
    if (!reader.mayTakeOverFrom(namesake.reader()) && namesake.isAlive()) {
      throw new LaneTakenException(namesake);
    }
  }

  private OptionalInt laneSaying(String text) {
    for (int lane = 0; lane < RingFileHeaderLayout.LANE_COUNT; lane++) {
      if (isInUse(claimWord(lane)) && textOf(lane).equals(text)) {
        return OptionalInt.of(lane);
      }
    }
    return OptionalInt.empty();
  }

  /** A lane that holds nothing, with the name in it. */
  private int takeVacant(String text, List<Occupant> namesakes) {
    int lane = findFree().orElseGet(() -> vacate(namesakes));
    RingHeader.putText(
        header, offset(lane) + RingLaneLayout.NAME_OFFSET, RingLaneLayout.NAME_LENGTH, text);
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

  /** Only when there is no other: for a moment nothing holds the space of that one. */
  private int vacate(List<Occupant> namesakes) {
    if (namesakes.isEmpty()) {
      return freeAnAbandoned();
    }
    int lane = namesakes.getFirst().lane();
    free(lane);
    return lane;
  }

  /** Only when there is no other: who is silent may be on its way back. */
  private int freeAnAbandoned() {
    for (int lane = 0; lane < RingFileHeaderLayout.LANE_COUNT; lane++) {
      if (freeIfAbandoned(lane, claimWord(lane), System.nanoTime(), Long.MAX_VALUE)) {
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
    writePid(lane, (int) ProcessHandle.current().pid());
    RingHeader.LONG_WORD.setRelease(
        header, offset(lane) + RingLaneLayout.ALIVE_NS_OFFSET, System.nanoTime());
  }

  /** The owner has closed the ring and its lane holds the space, for whoever comes back. */
  void rest(int lane) {
    writePid(lane, RESTING);
  }

  private void writePid(int lane, int pid) {
    header.set(RingHeader.INT, offset(lane) + RingLaneLayout.READER_PID_OFFSET, pid);
  }

  /**
   * Frees the gating lanes that their readers have abandoned: their space is the producer's, and a
   * reader that comes back all the same is fenced and learns what it missed. Producer's thread.
   *
   * @param nowNs by {@link System#nanoTime}
   * @param longestNs the longest silence that is borne, whatever the reader asked for
   */
  void freeAbandoned(long nowNs, long longestNs, Consumer<Occupant> freed) {
    for (int lane = 0; lane < RingFileHeaderLayout.LANE_COUNT; lane++) {
      long word = claimWord(lane);
      Optional<Occupant> occupant = occupant(lane, word);
      if (LaneClaim.mode(word) == LaneMode.GATING
          && freeIfAbandoned(lane, word, nowNs, longestNs)) {
        occupant.ifPresent(freed);
      }
    }
  }

  /** The owner's sign of life is read after the word: if the word is still the same, it was its. */
  private boolean freeIfAbandoned(int lane, long word, long nowNs, long longestNs) {
    return nowNs - aliveNs(lane) > Math.min(expiryNs(lane), longestNs)
        && compareAndSet(lane, word, LaneClaim.next(word, LaneMode.FREE, 0));
  }

  private static long silenceNs(long aliveNs) {
    return Math.max(0, System.nanoTime() - aliveNs);
  }

  private long aliveNs(int lane) {
    return (long)
        RingHeader.LONG_WORD.getAcquire(header, offset(lane) + RingLaneLayout.ALIVE_NS_OFFSET);
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
    long aliveNs = aliveNs(lane);
    return Optional.of(
        new Occupant(
            lane,
            ReaderName.parse(textOf(lane)),
            LaneClaim.mode(word),
            LaneClaim.epoch(word),
            header.get(RingHeader.INT, offset(lane) + RingLaneLayout.READER_PID_OFFSET),
            LaneClaim.released(word, words.positionAcquire()),
            aliveNs,
            silenceNs(aliveNs),
            expiryNs(lane)));
  }

  /** Whether space is held for readers of that name, of whatever job. */
  boolean isHeldFor(ReaderName reader) {
    return occupants().stream()
        .anyMatch(held -> held.holdsSpace() && held.name().equals(reader.name()));
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

  private String textOf(int lane) {
    return RingHeader.text(
        header, offset(lane) + RingLaneLayout.NAME_OFFSET, RingLaneLayout.NAME_LENGTH);
  }

  private static long offset(int lane) {
    return RingFileHeaderLayout.LANES_OFFSET
        + lane * RingLaneLayout.SIZE_BYTES
        + RingLaneLayout.CLAIM_OFFSET;
  }
}
