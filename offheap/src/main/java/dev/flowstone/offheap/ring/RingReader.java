// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.abi.LaneMode;
import java.util.OptionalLong;

/**
 * Reads one ring as runs of packet records: consecutive slots without a TIME or LOSS record in
 * between, all under one time base. Knows exactly what it missed: packets read and packets lost add
 * up to packets offered at every TIME record.
 *
 * <p>A gating reader holds its space until {@link #release}; the memory of a run stays as it is
 * until then. An observing reader holds nothing: copy a run, then ask {@link #isRunIntact}, then
 * poll again. One thread, except for {@link #holdsLane}.
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

  private final RingFile file;
  private final RingDamage damage;
  private final RingSlots slots;
  private final RingHeader words;
  private final RingWindow window;
  private final ControlIndex controls;
  private final RingLane lane;
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
    this.damage = new RingDamage(file.path());
    this.slots = new RingSlots(file.slots(), file.identity().slotsLog2());
    this.words = file.words();
    this.window = new RingWindow(file.path(), words, slots.count());
    this.controls = new ControlIndex(words, slots);
    position = startPosition(start);
    if (position > 0 && !clockKnown) {
      account.jumped();
    }
    lane = file.lanes().claim(name, mode, position);
    skipWhatIsGone();
  }

  private long startPosition(RingStart start) {
    return switch (start) {
      case RingStart.Oldest oldest -> {
        account.beginAtFirst();
        yield window.oldest();
      }
      case RingStart.Latest latest -> {
        long time = controls.findLatestTime();
        yield time == ControlIndex.NONE ? words.positionAcquire() : time;
      }
      case RingStart.Resume resume -> resume(resume.progress());
    };
  }

  private long resume(RingProgress progress) {
    if (progress.incarnation() != file.identity().incarnation()) {
      OptionalLong missed =
          progress.accountKnown()
              ? file.lineage().missedSince(progress.incarnation(), progress.accountedPackets())
              : OptionalLong.empty();
      missedUnknown = missed.isEmpty();
      account.resumeAnew(progress, missed.orElse(0));
      return window.oldest();
    }
    if (Long.compareUnsigned(progress.position(), words.positionAcquire()) > 0) {
      throw damage.beyondRing(progress.position(), words.positionAcquire());
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
    long settled = window.settle(position, this::release);
    if (settled != position) {
      position = settled;
      losePlace();
    }
    knownPosition = position;
    controls.reset();
  }

  private void losePlace() {
    clockKnown = false;
    account.jumped();
    controls.reset();
  }

  /**
   * The next run of at most {@code mostRecords} packets, or what there is instead.
   *
   * @throws RingFileException if this is a gating reader and another reader or an operator took its
   *     lane
   */
  public Poll poll(int mostRecords) {
    runCount = 0;
    if (lane.isGating()) {
      requireLane(lane.isHeld());
    } else if (!window.holds(position)) {
      skipWhatIsGone();
    }
    while (true) {
      if (position == knownPosition && !lookFurther()) {
        return words.isEndedAcquire() && !lookFurther() ? end() : Poll.NOTHING;
      }
      long control = controls.next(position, knownPosition);
      if (control == position) {
        ControlRecord record = ControlRecord.copy(slots, position);
        if (!window.holds(position)) {
          return overrun();
        }
        if (readControl(record)) {
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
    RingCounters counters = file.counters();
    account.ended(counters.offeredPackets(), counters.droppedPackets() - counters.lostRecorded());
    return Poll.END;
  }

  /** The producer came by while a record was looked at: an observer begins anew further on. */
  private Poll overrun() {
    if (lane.isGating()) {
      throw damage.writtenOver(words.reservedPosition(), position);
    }
    skipWhatIsGone();
    return Poll.NOTHING;
  }

  private boolean lookFurther() {
    long published = words.positionAcquire();
    if (published < position) {
      throw damage.wentBack(published, position);
    }
    if (published - position > slots.count() && lane.isGating()) {
      throw damage.tooFarAhead(published, slots.count(), position);
    }
    knownPosition = published;
    return published != position;
  }

  private void takeRun(long end, int mostRecords) {
    long lapEnd = (position | slots.count() - 1) + 1;
    runPosition = position;
    runCount = (int) Math.min(mostRecords, Math.min(end, lapEnd) - position);
    requireGeneration();
    position += runCount;
    account.read(runCount);
  }

  private void requireGeneration() {
    if (lane.isGating()) {
      requireGeneration(slots.generationAt(position));
    }
  }

  private void requireGeneration(int found) {
    int expected = slots.generationOf(position);
    if (found != expected) {
      throw damage.wrongGeneration(position, found, expected);
    }
  }

  /** Records that came before any clock is known cannot be dated; the next TIME counts them. */
  private void skipUndated(long end) {
    position = end;
  }

  /** Believes a record that was whole when it was copied; whether it was a TIME record. */
  private boolean readControl(ControlRecord record) {
    requireGeneration(record.generation());
    if (!record.isTime() && !record.isLoss()) {
      throw damage.noControlRecord(position, record.kind());
    }
    if (record.isLoss()) {
      account.lost(requireCount("lost packets", record.lostPackets()));
      position++;
      return false;
    }
    account.offered(requireCount("offered packets", record.offeredPackets()));
    position++;
    timeBaseNs = record.timeNs();
    clockTrusted = record.isClockTrusted();
    clockKnown = true;
    return true;
  }

  private long requireCount(String what, long packets) {
    if (packets < 0) {
      throw damage.impossibleCount(position, packets, what);
    }
    return packets;
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
   * Packets that TIME records or the end say were offered, but that this reader neither read nor
   * was told of as lost, and that no jump of its own explains: always 0 unless tap or reader have a
   * fault or the file is damaged. Packets read twice count too. Since this reader was made; not
   * part of its progress.
   */
  public long unexplainedPackets() {
    return account.unexplainedPackets();
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

  /**
   * An observing reader's question after it copied a run and before it polls again: had the
   * producer left it alone? If not, the copy must not be used; the run then counts as not read, and
   * the next TIME record counts its packets as lost.
   */
  public boolean isRunIntact() {
    boolean intact = window.holds(runPosition);
    if (!intact && runCount > 0) {
      discardRun();
    }
    return intact;
  }

  /**
   * Where the run ended was read from slots that are gone, so the clock after it is unknown too.
   */
  private void discardRun() {
    account.unread(runCount);
    runCount = 0;
    losePlace();
  }

  /** Whether the lane is still this reader's. Any thread; costs one volatile load. */
  public boolean holdsLane() {
    return lane.isHeld();
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
    requireLane(lane.release(released));
  }

  private void requireLane(boolean isHeld) {
    if (!isHeld) {
      throw damage.laneLost(lane.number());
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
