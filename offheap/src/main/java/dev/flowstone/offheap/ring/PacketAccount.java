// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

/**
 * What a reader knows of the packets that its ring was offered: how many up to its position, and
 * how many of these it will never see.
 *
 * <p>A loss has one of three sources. The ring told it: a LOSS record, its final counters, or the
 * counters of an earlier incarnation. Or the reader jumped, and the next TIME record told how far.
 * Or neither, and only the count of offered packets betrays it: then tap or reader lost packets
 * without knowing, and that is counted on its own.
 */
final class PacketAccount {
  private long accountedPackets;

  /** Without it nothing can be said of a loss until the ring tells how many were offered. */
  private boolean isKnown;

  /** The reader passed packets over, and no TIME record has said yet how many. */
  private boolean hasJumped;

  private long lostPackets;
  private long unreportedLost;
  private long unexplainedPackets;

  /** Every packet that the ring was ever offered counts. */
  void beginAtFirst() {
    isKnown = true;
  }

  /** Goes on where a reader of the same ring stood. */
  void resume(RingProgress progress) {
    accountedPackets = progress.accountedPackets();
    isKnown = progress.accountKnown();
    lostPackets = progress.lostPackets();
    unreportedLost = progress.unreportedLost();
  }

  /** Goes on at the start of another incarnation. */
  void resumeAnew(RingProgress progress, long missedPackets) {
    isKnown = true;
    lostPackets = progress.lostPackets();
    unreportedLost = progress.unreportedLost();
    settle(missedPackets, true);
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
  void lost(long packets) {
    if (isKnown) {
      accountedPackets += packets;
      lose(packets);
    }
  }

  /** The ring says how many it was offered until here: what is not accounted for is lost. */
  void offered(long packets) {
    if (isKnown) {
      settle(packets - accountedPackets, hasJumped);
    }
    accountedPackets = packets;
    isKnown = true;
    hasJumped = false;
  }

  /**
   * The ring's final count, and how many of the packets it dropped no LOSS record could tell any
   * more. May be said again.
   */
  void ended(long offeredPackets, long untoldPackets) {
    lost(Math.clamp(untoldPackets, 0, Math.max(0, offeredPackets - accountedPackets)));
    offered(offeredPackets);
  }

  /** Fewer than none are missing where more were read than offered: nothing explains that. */
  private void settle(long missing, boolean isExplained) {
    unexplainedPackets += isExplained && missing > 0 ? 0 : Math.abs(missing);
    lose(Math.max(0, missing));
  }

  private void lose(long packets) {
    lostPackets += packets;
    unreportedLost += packets;
  }

  long accountedPackets() {
    return accountedPackets;
  }

  boolean isKnown() {
    return isKnown;
  }

  long lostPackets() {
    return lostPackets;
  }

  long unexplainedPackets() {
    return unexplainedPackets;
  }

  long unreportedLost() {
    return unreportedLost;
  }

  /** Packets lost since this was last asked. */
  long takeUnreportedLost() {
    long taken = unreportedLost;
    unreportedLost = 0;
    return taken;
  }
}
