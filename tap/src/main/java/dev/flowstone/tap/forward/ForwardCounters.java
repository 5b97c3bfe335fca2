// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.forward;

import java.util.List;

/**
 * What a sender has done so far. Packets of a ring: offered since it began = read + lost in ring;
 * read = sent + unsent, and those that are being gathered.
 *
 * @param datagrams sent
 * @param bytes in these
 * @param unsentDatagrams that the kernel did not take
 * @param unreachable how often the kernel told that nobody listened
 */
public record ForwardCounters(
    List<OfRing> rings, long datagrams, long bytes, long unsentDatagrams, long unreachable) {
  /**
   * Of one ring, over all its incarnations.
   *
   * @param read packets found in the ring
   * @param sent of these, in datagrams that were sent
   * @param unsent of these, in datagrams that were not
   * @param lostInRing packets that the ring dropped, or the sender came too late for
   * @param lostBeforeTap packets that the ring tells as lost before its tap
   * @param beforeStart packets that the ring was offered before the sender began
   * @param backlogSlots published in the ring and not read yet
   */
  public record OfRing(
      long read,
      long sent,
      long unsent,
      long lostInRing,
      long lostBeforeTap,
      long beforeStart,
      long backlogSlots) {

    OfRing plus(OfRing other) {
      return new OfRing(
          read + other.read,
          sent + other.sent,
          unsent + other.unsent,
          lostInRing + other.lostInRing,
          lostBeforeTap + other.lostBeforeTap,
          beforeStart + other.beforeStart,
          backlogSlots + other.backlogSlots);
    }
  }

  /** All rings together. */
  public OfRing sum() {
    return rings.stream().reduce(new OfRing(0, 0, 0, 0, 0, 0, 0), OfRing::plus);
  }
}
