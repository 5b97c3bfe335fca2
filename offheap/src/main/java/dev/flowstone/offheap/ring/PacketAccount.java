// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

/**
 * What a reader knows of the packets that its ring was offered: how many up to its position, and
 * how many of these it will never see.
 */
final class PacketAccount {
  private long accountedPackets;

  /** Without it nothing can be said of a loss until the ring tells how many were offered. */
  private boolean isKnown;

  private long lostPackets;
  private long unreportedLost;

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
    lose(missedPackets);
  }

  void read(int packets) {
    accountedPackets += packets;
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
      lose(packets - accountedPackets);
    }
    accountedPackets = packets;
    isKnown = true;
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
