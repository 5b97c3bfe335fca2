// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import java.util.Optional;

/**
 * What a ring's TIME and LOSS records tell one reader: the time, what became of the packets, and
 * where the next such record stands. Knows nothing of what lies between them. One thread.
 */
final class ControlStream {
  /** No control record. */
  static final long NONE = ControlIndex.NONE;

  private final RingFile file;
  private final RingSlots slots;
  private final RingDamage damage;
  private final ControlIndex index;

  private PacketAccount account;
  private RingTime time = RingTime.UNKNOWN;
  private boolean missedUnknown;

  ControlStream(RingFile file, RingSlots slots, EntryLayout layout, RingDamage damage) {
    this.file = file;
    this.slots = slots;
    this.damage = damage;
    this.index = new ControlIndex(file.words(), slots, layout);
    this.account = new PacketAccount(PacketBooks.beginningAt(file.counters()));
  }

  /** Begins with the ring's oldest position: all packets count that it was ever offered. */
  void beginAtFirst() {
    account = new PacketAccount(PacketBooks.FROM_THE_FIRST);
  }

  /** The latest TIME record that is published, or {@link #NONE}. */
  long latestTime() {
    return index.findLatestTime();
  }

  /** Goes on where a reader of this incarnation stood. */
  void resume(RingProgress progress) {
    account = new PacketAccount(progress.books());
    time = progress.time();
  }

  /** Goes on at the oldest position, for a reader who stood in an earlier incarnation. */
  void resumeAnew(RingProgress progress) {
    Optional<RingLineage.Missed> missed =
        progress.books().isKnown()
            ? file.lineage().missedSince(progress.incarnation(), progress.books())
            : Optional.empty();
    missedUnknown = missed.isEmpty();
    account =
        PacketAccount.anew(progress.books(), missed.orElseGet(() -> new RingLineage.Missed(0, 0)));
    time = progress.time().lost();
  }

  /**
   * The reader passed slots over: nothing before the next TIME record can be dated, and that record
   * tells how much is lost.
   */
  void losePlace() {
    time = time.lost();
    account.jumped();
    index.reset();
  }

  /** Where the first control record in [from, to) stands, or {@link #NONE}. */
  long next(long from, long to) {
    return index.next(from, to);
  }

  /** Believes a record that was whole when it was copied; whether it was a TIME record. */
  boolean read(ControlRecord record, long position) {
    if (record.isLoss()) {
      account.lost(
          require("lost packets", record.lostPackets(), position),
          require("packets lost before the tap", record.lostBeforeTap(), position));
      return false;
    }
    if (!record.isTime()) {
      throw damage.noControlRecord(position, record.kind());
    }
    account.counted(
        require("offered packets", record.offeredPackets(), position),
        require("packets lost before the tap", record.lostBeforeTapSoFar(), position));
    time = new RingTime(record.timeNs(), true, record.isClockTrusted());
    return true;
  }

  private long require(String what, long packets, long position) {
    if (packets < 0) {
      throw damage.impossibleCount(position, packets, what);
    }
    return packets;
  }

  /** The final counters say what no record could say any more. */
  void ended() {
    account.ended(file.counters());
  }

  ControlRecord copy(long position) {
    return ControlRecord.copy(slots, position);
  }

  PacketAccount account() {
    return account;
  }

  RingTime time() {
    return time;
  }

  boolean isMissedUnknown() {
    return missedUnknown;
  }
}
