// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * The final counters of earlier producers of a ring, latest first, so that a reader who held on to
 * one of them can say exactly what it missed.
 */
public record RingLineage(List<Ancestor> ancestors) {
  public static final RingLineage NONE = new RingLineage(List.of());

  /** An earlier incarnation and how many packets it was offered. */
  public record Ancestor(long incarnation, long offeredPackets) {}

  public RingLineage {
    ancestors = List.copyOf(ancestors);
  }

  RingLineage withLatest(Ancestor latest, int most) {
    List<Ancestor> all = new ArrayList<>(List.of(latest));
    all.addAll(ancestors);
    return new RingLineage(all.subList(0, Math.min(most, all.size())));
  }

  /**
   * Packets a reader never saw: the rest of the incarnation it followed, of which it accounted for
   * {@code accountedPackets}, and all of those between. Empty when that incarnation is forgotten,
   * less than 0 when the header is damaged.
   */
  public OptionalLong missedSince(long incarnation, long accountedPackets) {
    long missed = 0;
    for (Ancestor ancestor : ancestors) {
      if (ancestor.incarnation() == incarnation) {
        return OptionalLong.of(missed + ancestor.offeredPackets() - accountedPackets);
      }
      missed += ancestor.offeredPackets();
    }
    return OptionalLong.empty();
  }
}
