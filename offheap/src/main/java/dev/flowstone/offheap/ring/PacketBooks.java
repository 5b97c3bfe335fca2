// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.PacketLoss;

/**
 * What a reader knows of a ring's packets up to its position.
 *
 * @param isKnown false: it began in the middle and met no TIME record yet, so nothing can be said;
 *     what is accounted for is then what the ring had counted when it began
 * @param accountedPackets offered to this incarnation, and read or known to be lost
 * @param accountedBeforeTap never offered to this incarnation, and known to be lost
 * @param lost in this ring so far, over all incarnations
 * @param unreported of these, not yet reported with a run
 */
public record PacketBooks(
    boolean isKnown,
    long accountedPackets,
    long accountedBeforeTap,
    PacketLoss lost,
    PacketLoss unreported) {

  /** Of one that begins in the middle of a ring, which has counted that much. */
  static PacketBooks beginningAt(RingCounters counters) {
    return new PacketBooks(
        false,
        counters.offeredPackets(),
        counters.lostBeforeTap(),
        PacketLoss.NONE,
        PacketLoss.NONE);
  }

  /** Every packet that the ring was ever offered counts. */
  static final PacketBooks FROM_THE_FIRST =
      new PacketBooks(true, 0, 0, PacketLoss.NONE, PacketLoss.NONE);
}
