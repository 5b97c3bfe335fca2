// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.PacketRecord;
import java.time.Duration;

/**
 * Reads one ring as runs of entries: consecutive slots without a TIME or LOSS record in between,
 * all under one time base. Knows exactly what it missed: packets read and packets lost add up to
 * packets offered at every TIME record.
 *
 * <p>A {@link GatingReader} holds the producer back until it releases what it read; an {@link
 * ObservingReader} never does, and asks afterwards whether what it copied was still whole. One
 * thread, except for {@link #holdsLane} and {@link #showLife}.
 */
public abstract sealed class RingReader implements AutoCloseable
    permits GatingReader, ObservingReader {
  /** What {@link #poll} found. */
  public enum Poll {
    /** A run of packets: {@link #runPosition}, {@link #runCount}, {@link #time}. */
    PACKETS,
    /** The clock moved: {@link #time}. */
    CLOCK,
    NOTHING,
    /** Nothing, and the producer said that nothing more will come. */
    END
  }

  /** Silence after which the producer may take a reader for gone, where nobody asks for another. */
  public static final Duration USUAL_EXPIRY = Duration.ofMinutes(10);

  final RingFile file;
  final RingDamage damage;
  final RingWindow window;
  final ControlStream controls;
  final RingLane lane;
  private final RingHeader words;
  private final EntryRun run;

  private long position;
  private long knownPosition;

  RingReader(RingFile file, EntryLayout layout, LaneOwner owner, RingStart start) {
    RingSlots slots = RingSlots.of(file);
    this.file = file;
    this.damage = new RingDamage(file.path());
    this.words = file.words();
    this.window = file.window();
    this.run = new EntryRun(slots, layout);
    this.controls = new ControlStream(file, slots, layout, damage);
    position = startPosition(start, owner.reader());
    if (position > 0 && !controls.time().isKnown()) {
      controls.losePlace();
    }
    long claimed = window.standing(position);
    lane = file.lanes().claim(owner, claimed);
    goOnAt(window.settle(claimed, this::moveLane));
    if (start instanceof RingStart.Join && position == 0) {
      controls.beginAtFirst();
    }
  }

  private long startPosition(RingStart start, ReaderName reader) {
    return switch (start) {
      case RingStart.Oldest _ -> {
        controls.beginAtFirst();
        yield window.oldest();
      }
      case RingStart.Join _ -> needsRoom(reader) ? window.oldestWithRoom() : window.oldest();
      case RingStart.Latest _ -> {
        long time = controls.latestTime();
        yield time == ControlStream.NONE ? words.positionAcquire() : time;
      }
      case RingStart.Resume(RingProgress progress) -> resume(progress);
    };
  }

  /** Not where nothing is written any more, nor where the space is held for this reader already. */
  private boolean needsRoom(ReaderName reader) {
    return !words.isEndedAcquire()
        && !file.lanes().isHeldFor(reader)
        && new RingDirectory(file.path().getParent()).hasTap();
  }

  private long resume(RingProgress progress) {
    if (progress.incarnation() != file.identity().incarnation()) {
      controls.resumeAnew(progress);
      return window.oldest();
    }
    if (Long.compareUnsigned(progress.position(), words.positionAcquire()) > 0) {
      throw damage.beyondRing(progress.position(), words.positionAcquire());
    }
    controls.resume(progress);
    return progress.position();
  }

  /** Moves past what the producer may have written over. */
  final void skipWhatIsGone() {
    goOnAt(window.settle(position, this::moveLane));
  }

  private void goOnAt(long settled) {
    if (settled != position) {
      position = settled;
      controls.losePlace();
    }
    knownPosition = position;
  }

  final void moveLane(long released) {
    if (!lane.release(released)) {
      throw damage.laneLost(lane.number());
    }
  }

  /**
   * The next run of at most {@code mostEntries} packets, or what there is instead.
   *
   * @throws RingFileException if this is a gating reader and another reader, an operator or the
   *     producer took its lane
   */
  public final Poll poll(int mostEntries) {
    run.clear();
    beforePoll();
    while (true) {
      if (position == knownPosition && !lookFurther()) {
        return words.isEndedAcquire() && !lookFurther() ? end() : Poll.NOTHING;
      }
      long control = controls.next(position, knownPosition);
      if (control == position) {
        ControlRecord record = controls.copy(position);
        if (!window.stands(position)) {
          overrun(position);
          return Poll.NOTHING;
        }
        requireGeneration(position, record.generation());
        boolean isTime = controls.read(record, position);
        position++;
        if (isTime) {
          return Poll.CLOCK;
        }
      } else if (!controls.time().isKnown()) {
        // Cannot be dated; the next TIME record counts them.
        position = Math.min(control, knownPosition);
      } else if (!takeRun(Math.min(control, knownPosition), mostEntries)) {
        return Poll.NOTHING;
      } else if (run.count() > 0) {
        return Poll.PACKETS;
      }
    }
  }

  /** False: the slots were written over while the reader looked for the ends of entries. */
  private boolean takeRun(long limit, int mostEntries) {
    boolean isWhole = run.take(position, limit, mostEntries);
    if (!isWhole && window.stands(position)) {
      throw damage.entryTooLong(run.end());
    }
    if (!isWhole) {
      overrun(position);
      return false;
    }
    beforeRun(position);
    position = run.end();
    controls.account().read(run.count());
    return true;
  }

  private Poll end() {
    controls.ended();
    return Poll.END;
  }

  private boolean lookFurther() {
    long published = words.positionAcquire();
    if (published < position) {
      throw damage.wentBack(published, position);
    }
    requireReachable(published, position);
    knownPosition = published;
    return published != position;
  }

  /** Sees to it that this reader may read on. */
  abstract void beforePoll();

  /** The producer published a position; may a sound one be that far ahead of this reader? */
  abstract void requireReachable(long published, long position);

  /** The producer came by while slots were looked at. */
  abstract void overrun(long position);

  /** Slots from a position on are about to be handed out. */
  abstract void beforeRun(long position);

  /** A control record's lap number. */
  final void requireGeneration(long position, int found) {
    int expected = PacketRecord.generation(position, file.identity().slotsLog2());
    if (found != expected) {
      throw damage.wrongGeneration(position, found, expected);
    }
  }

  /** Takes the latest run back: it counts as not read. */
  final void discardRun() {
    controls.account().unread(run.count());
    run.clear();
    controls.losePlace();
  }

  /**
   * First slot of the run; its bytes lie at {@code slotOffset(runPosition)} of the file's slots.
   */
  public final long runPosition() {
    return run.position();
  }

  /** Entries of the run. */
  public final int runCount() {
    return run.count();
  }

  /** The clock at this reader's position: of the run, or what a CLOCK told. */
  public final RingTime time() {
    return controls.time();
  }

  public final long position() {
    return position;
  }

  /** Packets lost since this was last asked. */
  public final PacketLoss takeUnreportedLoss() {
    return controls.account().takeUnreported();
  }

  /**
   * Packets that this incarnation was offered before this reader joined or began with the latest,
   * and that it does not read. Known from its first TIME record on; not part of its progress.
   */
  public final long packetsBeforeStart() {
    return controls.account().packetsBeforeStart();
  }

  /** The same of packets that the tap had told as lost before it. */
  public final long lostBeforeTapBeforeStart() {
    return controls.account().lostBeforeTapBeforeStart();
  }

  /**
   * Whether {@link #accountedPackets} counts from the incarnation's first packet: not for a reader
   * that began in the middle and met no TIME record yet.
   */
  public final boolean isAccountKnown() {
    return controls.account().isKnown();
  }

  /**
   * Packets that this incarnation was offered up to this reader's position, as far as it knows:
   * read, lost, or before its start.
   */
  public final long accountedPackets() {
    return controls.account().accountedPackets();
  }

  /** Packets that this incarnation was never offered, as it told up to this reader's position. */
  public final long accountedBeforeTap() {
    return controls.account().accountedBeforeTap();
  }

  /** Packets lost in this ring so far, over all incarnations. */
  public final PacketLoss lost() {
    return controls.account().books().lost();
  }

  /**
   * Packets that TIME records or the end say were offered, but that this reader neither read nor
   * was told of as lost, and that no jump of its own explains: always 0 unless tap or reader have a
   * fault or the file is damaged. Packets read twice count too. Since this reader was made; not
   * part of its progress.
   */
  public final long unexplainedPackets() {
    return controls.account().unexplainedPackets();
  }

  /**
   * Whether this reader resumed from an incarnation so old that the ring forgot its counters: then
   * nobody can say how much was missed.
   */
  public final boolean isMissedUnknown() {
    return controls.isMissedUnknown();
  }

  /** Slots published but not yet read. */
  public final long backlogSlots() {
    return words.positionAcquire() - position;
  }

  /** Whether the lane is still this reader's. Any thread; costs one volatile load. */
  public final boolean holdsLane() {
    return lane.isHeld();
  }

  /**
   * Says that this reader is still there. To be called each second, also while it waits for others:
   * one that is silent for longer than its expiry counts as gone, and its lane is taken.
   */
  public final void showLife() {
    lane.showLife();
  }

  public final RingFile file() {
    return file;
  }

  public final RingProgress progress() {
    return new RingProgress(
        file.identity().incarnation(), position, controls.time(), controls.account().books());
  }

  /** Leaves the lane in place, so that it holds the space for a successor with the same name. */
  @Override
  public final void close() {
    lane.rest();
  }

  /** Gives the lane up for good. */
  public final void leave() {
    lane.free();
  }
}
