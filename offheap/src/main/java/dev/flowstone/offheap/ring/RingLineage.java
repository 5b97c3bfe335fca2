// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The final counters of earlier producers of a ring, latest first, so that a reader who held on to
 * one of them can say exactly what it missed.
 */
public record RingLineage(List<Ancestor> ancestors) {
  public static final RingLineage NONE = new RingLineage(List.of());

  /**
   * An earlier incarnation.
   *
   * @param offeredPackets it was offered in all
   * @param lostBeforeTap it was told of in all
   */
  public record Ancestor(long incarnation, long offeredPackets, long lostBeforeTap) {}

  /** What a reader never saw; less than 0 when the header is damaged. */
  public record Missed(long offeredPackets, long lostBeforeTap) {}

  public RingLineage {
    ancestors = List.copyOf(ancestors);
  }

  RingLineage withLatest(Ancestor latest, int most) {
    List<Ancestor> all = new ArrayList<>(List.of(latest));
    all.addAll(ancestors);
    return new RingLineage(all.subList(0, Math.min(most, all.size())));
  }

  /**
   * What a reader never saw that accounted for some packets of an earlier incarnation: the rest of
   * that one, and all of those between. Empty when that incarnation is forgotten.
   */
  Optional<Missed> missedSince(long incarnation, PacketBooks books) {
    long offered = -books.accountedPackets();
    long lostBeforeTap = -books.accountedBeforeTap();
    for (Ancestor ancestor : ancestors) {
      offered += ancestor.offeredPackets();
      lostBeforeTap += ancestor.lostBeforeTap();
      if (ancestor.incarnation() == incarnation) {
        return Optional.of(new Missed(offered, lostBeforeTap));
      }
    }
    return Optional.empty();
  }
}
