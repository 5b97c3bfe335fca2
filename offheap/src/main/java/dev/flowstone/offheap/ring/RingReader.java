// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static dev.flowstone.model.abi.RingFileHeaderLayout.RESERVED_SLOTS;

import dev.flowstone.model.abi.LaneMode;
import dev.flowstone.model.abi.LossRecordLayout;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import dev.flowstone.model.abi.TimeRecordLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.OptionalLong;

/**
 * Reads one ring as runs of packet records: consecutive slots without a TIME or LOSS record in
 * between, all under one time base. Knows exactly what it missed: packets read and packets lost add
 * up to packets offered at every TIME record.
 *
 * <p>A gating reader holds its space until {@link #release}; the memory of a run stays as it is
 * until then. An observing reader holds nothing: copy a run, then ask {@link #isRunIntact}. One
 * thread.
 */
public final class RingReader implements AutoCloseable {
  /** What {@link #poll} found. */
  public enum Poll {
    /** A run of packets: {@link #runPosition}, {@link #runCount}, {@link #timeBaseNs}. */
    PACKETS,
    /** The clock moved: {@link #timeBaseNs}. */
    CLOCK,
    NOTHING,
    /** Nothing, and the producer said that nothing more will come. */
    END
  }

  /** A producer this far ahead of a reader that only follows it is not one. */
  private static final int MOST_SKIPS = 1000;

  private final RingFile file;
  private final MemorySegment slots;
  private final RingHeader words;
  private final ControlIndex controls;
  private final RingLane lane;
  private final long slotCount;
  private final PacketAccount account = new PacketAccount();

  private long position;
  private long knownPosition;
  private long timeBaseNs;
  private boolean clockTrusted;
  private boolean clockKnown;
  private boolean missedUnknown;

  private long runPosition;
  private int runCount;

  /** A reader that holds back the producer. A lane that bore this name before is taken over. */
  public static RingReader gating(RingFile file, String name, RingStart start) {
    return new RingReader(file, name, LaneMode.GATING, start);
  }

  /** A reader that the producer never waits for. */
  public static RingReader observing(RingFile file, String name, RingStart start) {
    return new RingReader(file, name, LaneMode.OBSERVING, start);
  }

  private RingReader(RingFile file, String name, int mode, RingStart start) {
    this.file = file;
    this.slots = file.slots();
    this.words = file.words();
    this.controls = new ControlIndex(file);
    this.slotCount = file.identity().slotCount();
    position = startPosition(start);
    lane = file.lanes().claim(name, mode, position);
    skipWhatIsGone();
  }

  private long startPosition(RingStart start) {
    return switch (start) {
      case RingStart.Oldest oldest -> {
        account.beginAtFirst();
        yield oldestPosition();
      }
      case RingStart.Latest latest -> {
        long time = controls.findLatestTime();
        yield time == ControlIndex.NONE ? words.positionAcquire() : time;
      }
      case RingStart.Resume resume -> resume(resume.progress());
    };
  }

  /** Leaves the producer the slots that it keeps for its last LOSS and TIME record. */
  private long oldestPosition() {
    long oldest = words.reservedPosition() - slotCount + RESERVED_SLOTS;
    return Math.clamp(oldest, 0, Math.max(0, words.positionAcquire()));
  }

  private long resume(RingProgress progress) {
    if (progress.incarnation() != file.identity().incarnation()) {
      OptionalLong missed =
          progress.accountKnown()
              ? file.lineage().missedSince(progress.incarnation(), progress.accountedPackets())
              : OptionalLong.empty();
      missedUnknown = missed.isEmpty();
      account.resumeAnew(progress, missed.orElse(0));
      return oldestPosition();
    }
    if (Long.compareUnsigned(progress.position(), words.positionAcquire()) > 0) {
      throw new RingFileException(
          file.path()
              + ": the checkpoint stands at position "
              + progress.position()
              + ", beyond the ring's "
              + words.positionAcquire()
              + "; the file was damaged or exchanged");
    }
    account.resume(progress);
    timeBaseNs = progress.timeBaseNs();
    clockTrusted = progress.clockTrusted();
    clockKnown = progress.clockKnown();
    return progress.position();
  }

  /**
   * Moves past what the producer may have written over. Nothing before the next TIME record can be
   * dated then; that record also tells how much is lost.
   */
  private void skipWhatIsGone() {
    for (int tries = 0; words.reservedPosition() - position > slotCount; tries++) {
      if (tries == MOST_SKIPS) {
        throw new RingFileException(
            file.path()
                + ": the producer announces position "
                + words.reservedPosition()
                + " but published "
                + words.positionAcquire()
                + ": the header is damaged");
      }
      position = oldestPosition();
      clockKnown = false;
      release(position);
    }
    knownPosition = position;
    controls.reset();
  }

  /** The next run of at most {@code mostRecords} packets, or what there is instead. */
  public Poll poll(int mostRecords) {
    if (!lane.isGating() && words.reservedPosition() - position > slotCount) {
      skipWhatIsGone();
    }
    while (true) {
      if (position == knownPosition && !lookFurther()) {
        return words.isEndedAcquire() && !lookFurther() ? end() : Poll.NOTHING;
      }
      long control = controls.next(position, knownPosition);
      if (control == position) {
        if (readControl()) {
          return Poll.CLOCK;
        }
      } else if (clockKnown) {
        takeRun(Math.min(control, knownPosition), mostRecords);
        return Poll.PACKETS;
      } else {
        skipUndated(Math.min(control, knownPosition));
      }
    }
  }

  /** The final counters say what no record could say any more. */
  private Poll end() {
    account.offered(file.counters().offeredPackets());
    return Poll.END;
  }

  private boolean lookFurther() {
    long published = words.positionAcquire();
    if (Long.compareUnsigned(published - position, slotCount) > 0 && lane.isGating()) {
      throw new RingFileException(
          file.path()
              + ": the producer is at position "
              + published
              + ", more than "
              + slotCount
              + " slots past this reader at "
              + position
              + ": the lane was freed or the header is damaged");
    }
    knownPosition = published;
    return published != position;
  }

  private void takeRun(long end, int mostRecords) {
    long lapEnd = (position | slotCount - 1) + 1;
    runPosition = position;
    runCount = (int) Math.min(mostRecords, Math.min(end, lapEnd) - position);
    requireGeneration();
    position += runCount;
    account.read(runCount);
  }

  private void requireGeneration() {
    int descriptor =
        slots.get(RingHeader.INT, file.slotOffset(position) + PacketRecordLayout.DESCRIPTOR_OFFSET);
    int found = descriptor >>> PacketRecordLayout.GENERATION_SHIFT;
    int expected = RingGeneration.of(position, file.identity().slotsLog2());
    if (found != expected && lane.isGating()) {
      throw new RingFileException(
          file.path()
              + ": slot of position "
              + position
              + " has generation "
              + found
              + ", not "
              + expected
              + ": the producer broke its word or the file is damaged");
    }
  }

  /** Records that came before any clock is known cannot be dated; the next TIME counts them. */
  private void skipUndated(long end) {
    position = end;
  }

  /** Whether it was a TIME record. */
  private boolean readControl() {
    long offset = file.slotOffset(position);
    int descriptor = slots.get(RingHeader.INT, offset + PacketRecordLayout.DESCRIPTOR_OFFSET);
    int kind = descriptor >>> PacketRecordLayout.KIND_SHIFT & PacketRecordLayout.KIND_MASK;
    position++;
    if (kind == RecordKind.TIME) {
      readTime(offset);
      return true;
    }
    account.lost(slots.get(RingHeader.LONG, offset + LossRecordLayout.LOST_PACKETS_OFFSET));
    return false;
  }

  private void readTime(long offset) {
    timeBaseNs = slots.get(RingHeader.LONG, offset + TimeRecordLayout.TIME_NS_OFFSET);
    clockTrusted = slots.get(RingHeader.INT, offset + TimeRecordLayout.CLOCK_TRUSTED_OFFSET) != 0;
    account.offered(slots.get(RingHeader.LONG, offset + TimeRecordLayout.OFFERED_PACKETS_OFFSET));
    clockKnown = true;
  }

  /**
   * First slot of the run; its bytes lie at {@code slotOffset(runPosition)} of the file's slots.
   */
  public long runPosition() {
    return runPosition;
  }

  public int runCount() {
    return runCount;
  }

  /** Base of the run's times, or the time that a CLOCK told. */
  public long timeBaseNs() {
    return timeBaseNs;
  }

  public boolean isClockTrusted() {
    return clockTrusted;
  }

  /** Packets lost since this was last asked. */
  public long takeUnreportedLost() {
    return account.takeUnreportedLost();
  }

  public long lostPackets() {
    return account.lostPackets();
  }

  /**
   * Whether this reader resumed from an incarnation so old that the ring forgot its counters: then
   * nobody can say how much was missed.
   */
  public boolean isMissedUnknown() {
    return missedUnknown;
  }

  /** Slots published but not yet read. */
  public long backlogSlots() {
    return words.positionAcquire() - position;
  }

  /** An observing reader's question after it copied a run: had the producer left it alone? */
  public boolean isRunIntact() {
    VarHandle.loadLoadFence();
    return words.reservedPosition() - runPosition <= slotCount;
  }

  public RingFile file() {
    return file;
  }

  public RingProgress progress() {
    return new RingProgress(
        file.identity().incarnation(),
        position,
        account.accountedPackets(),
        account.isKnown(),
        timeBaseNs,
        clockKnown,
        clockTrusted,
        account.lostPackets(),
        account.unreportedLost());
  }

  /**
   * Lets the producer have everything below a position.
   *
   * @throws RingFileException if another reader or an operator took the lane
   */
  public void release(long released) {
    if (!lane.release(released)) {
      throw new RingFileException(
          file.path()
              + ": lane "
              + lane.number()
              + " now belongs to another reader or was freed; this reader must stop");
    }
  }

  /** Leaves the lane in place, so that it holds the space for a successor with the same name. */
  @Override
  public void close() {}

  /** Gives the lane up for good. */
  public void leave() {
    lane.free();
  }
}
