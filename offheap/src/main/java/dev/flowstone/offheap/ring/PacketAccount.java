// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.PacketLoss;

/**
 * What a reader knows of the packets that its ring was offered: how many up to its position, and
 * how many of these it will never see; and of those that never came so far, as the tap told them.
 *
 * <p>A loss has one of three sources. The ring told it: a LOSS record, its final counters, or the
 * counters of an earlier incarnation. Or the reader jumped, and the next TIME record told how far.
 * Or neither, and only the count of offered packets betrays it: then tap or reader lost packets
 * without knowing, and that is counted on its own.
 */
final class PacketAccount {
  private boolean isKnown;
  private long accountedPackets;
  private long accountedBeforeTap;

  /** The reader passed packets over, and no TIME record has said yet how many. */
  private boolean hasJumped;

  private PacketLoss lost;
  private PacketLoss unreported;
  private long unexplainedPackets;
  private long packetsBeforeStart;
  private long lostBeforeTapBeforeStart;

  /** Goes on with the books of a reader who stood at the same place. */
  PacketAccount(PacketBooks books) {
    isKnown = books.isKnown();
    accountedPackets = books.accountedPackets();
    accountedBeforeTap = books.accountedBeforeTap();
    lost = books.lost();
    unreported = books.unreported();
  }

  /** Goes on at the start of another incarnation, of whose forerunners that much was missed. */
  static PacketAccount anew(PacketBooks former, RingLineage.Missed missed) {
    PacketAccount account =
        new PacketAccount(new PacketBooks(true, 0, 0, former.lost(), former.unreported()));
    account.settle(missed.offeredPackets(), missed.lostBeforeTap(), true);
    return account;
  }

  PacketBooks books() {
    return new PacketBooks(isKnown, accountedPackets, accountedBeforeTap, lost, unreported);
  }

  void read(int packets) {
    accountedPackets += packets;
  }

  /** Takes a {@link #read} back: the packets were written over before they could be used. */
  void unread(int packets) {
    accountedPackets -= packets;
  }

  /** The reader passes packets over; the next TIME record will say how many. */
  void jumped() {
    hasJumped = true;
  }

  /** The ring says that so many are missing here. */
  void lost(long packets, long beforeTap) {
    if (isKnown) {
      accountedPackets += packets;
      accountedBeforeTap += beforeTap;
      lose(packets, beforeTap);
    }
  }

  /** The ring says how many there were until here: what is not accounted for is lost. */
  void counted(long offeredPackets, long lostBeforeTap) {
    if (!isKnown) {
      begin(offeredPackets, lostBeforeTap);
    }
    settle(offeredPackets - accountedPackets, lostBeforeTap - accountedBeforeTap, hasJumped);
    accountedPackets = offeredPackets;
    accountedBeforeTap = lostBeforeTap;
    isKnown = true;
    hasJumped = false;
  }

  /**
   * The first TIME record of a reader that began in the middle. It stands among what was there
   * then, or later: what came in between could not be dated, and is lost.
   */
  private void begin(long offeredPackets, long lostBeforeTap) {
    accountedPackets = Math.min(accountedPackets, offeredPackets);
    accountedBeforeTap = Math.min(accountedBeforeTap, lostBeforeTap);
    packetsBeforeStart = accountedPackets;
    lostBeforeTapBeforeStart = accountedBeforeTap;
    hasJumped = true;
  }

  /**
   * The ring's final counts, and how many of its losses no LOSS record could tell any more. May be
   * said again.
   */
  void ended(RingCounters counters) {
    long untoldBeforeTap = counters.lostBeforeTap() - counters.lostBeforeTapRecorded();
    lost(
        Math.clamp(
            counters.untoldPackets(), 0, Math.max(0, counters.offeredPackets() - accountedPackets)),
        Math.clamp(untoldBeforeTap, 0, Math.max(0, counters.lostBeforeTap() - accountedBeforeTap)));
    counted(counters.offeredPackets(), counters.lostBeforeTap());
  }

  /** Fewer than none are missing where more were read than offered: nothing explains that. */
  private void settle(long missing, long missingBeforeTap, boolean isExplained) {
    unexplainedPackets += unexplained(missing, isExplained);
    unexplainedPackets += unexplained(missingBeforeTap, isExplained);
    lose(Math.max(0, missing), Math.max(0, missingBeforeTap));
  }

  private static long unexplained(long missing, boolean isExplained) {
    return isExplained && missing > 0 ? 0 : Math.abs(missing);
  }

  private void lose(long packets, long beforeTap) {
    if (packets > 0 || beforeTap > 0) {
      PacketLoss loss = new PacketLoss(packets, beforeTap);
      lost = lost.plus(loss);
      unreported = unreported.plus(loss);
    }
  }

  /** Offered before this reader began in the middle of a ring, and not to be read any more. */
  long packetsBeforeStart() {
    return packetsBeforeStart;
  }

  /** Lost before the tap as it told before this reader began, and no loss of its own. */
  long lostBeforeTapBeforeStart() {
    return lostBeforeTapBeforeStart;
  }

  /** Whether what is accounted for is counted from the incarnation's first packet. */
  boolean isKnown() {
    return isKnown;
  }

  long accountedPackets() {
    return accountedPackets;
  }

  long accountedBeforeTap() {
    return accountedBeforeTap;
  }

  long unexplainedPackets() {
    return unexplainedPackets;
  }

  /** Packets lost since this was last asked. */
  PacketLoss takeUnreported() {
    PacketLoss taken = unreported;
    unreported = PacketLoss.NONE;
    return taken;
  }
}
