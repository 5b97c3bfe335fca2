// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import java.util.concurrent.atomic.LongAdder;

/**
 * Holds what came of one ring of a card against what the card says it offered the ring. Whatever is
 * missing then is a loss, whatever the reason; so nothing is missed in silence, not even where a
 * slot that was damaged held no packet but a LOSS or TIME record. One thread.
 */
final class RingAccount {
  private final CardLosses losses;
  private long takenPackets;
  private long droppedPackets;
  private long damagedPackets;
  private final LongAdder surplusPackets = new LongAdder();

  RingAccount(CardLosses losses) {
    this.losses = losses;
  }

  /** Packets that went on to the ring file. */
  void took(long packets) {
    takenPackets += packets;
  }

  /** A LOSS record: packets that found no room in the card's ring. */
  void dropped(long packets, long timeNs) {
    droppedPackets += packets;
    losses.add(CardLoss.RING_FULL, packets, timeNs);
  }

  /**
   * The card's own counters at a place in the stream, with all before it taken.
   *
   * @param otherwise why packets are missing that the card did not drop
   */
  void settle(long offered, long dropped, long timeNs, CardLoss otherwise) {
    if (dropped > droppedPackets) {
      dropped(dropped - droppedPackets, timeNs);
    }
    long missing = offered - takenPackets - droppedPackets - damagedPackets;
    damagedPackets += missing;
    if (missing >= 0) {
      losses.add(otherwise, missing, timeNs);
    } else {
      surplusPackets.add(-missing);
    }
  }

  /** Packets that went on to the ring file and that the card never offered: they came twice. */
  long surplusPackets() {
    return surplusPackets.sum();
  }

  /** Packets taken so far. */
  long takenPackets() {
    return takenPackets;
  }
}
