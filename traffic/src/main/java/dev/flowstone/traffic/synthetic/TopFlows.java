// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.traffic.synthetic;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The flows with the most packets, at most {@value #KEPT}; more bytes win among equals. */
final class TopFlows {
  static final int KEPT = 20;

  record Entry(FlowTuple tuple, TallyFigures figures) {}

  private static final Comparator<Entry> LARGEST_FIRST =
      Comparator.<Entry>comparingLong(entry -> entry.figures().packets())
          .thenComparingLong(entry -> entry.figures().wireBytes())
          .reversed();

  private final List<Entry> entries = new ArrayList<>();

  /** Whether a flow of so many packets would be kept: cheap, to be asked before offering. */
  boolean wants(long packets) {
    return packets > 0
        && (entries.size() < KEPT || packets >= entries.getLast().figures().packets());
  }

  void offer(FlowTuple tuple, TallyFigures figures) {
    entries.add(new Entry(tuple, figures));
    entries.sort(LARGEST_FIRST);
    if (entries.size() > KEPT) {
      entries.removeLast();
    }
  }

  List<Entry> entries() {
    return List.copyOf(entries);
  }
}
