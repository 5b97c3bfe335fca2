// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.PacketLoss;

/**
 * What a reader knows of a ring's packets up to its position.
 *
 * @param isKnown false: it began in the middle and met no TIME record yet, so nothing can be said
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

  static final PacketBooks UNKNOWN = new PacketBooks(false, 0, 0, PacketLoss.NONE, PacketLoss.NONE);

  /** Every packet that the ring was ever offered counts. */
  static final PacketBooks FROM_THE_FIRST =
      new PacketBooks(true, 0, 0, PacketLoss.NONE, PacketLoss.NONE);
}
