// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** The flows with the most packets, at most {@value #KEPT}; more bytes win among equals. */
final class TopFlows {
  static final int KEPT = 20;

  /** What a flow sent; gaps are meaningless below two packets. */
  record Entry(
      FlowTuple tuple,
      long packets,
      long bytes,
      long firstNs,
      long lastNs,
      long minGapNs,
      long maxGapNs) {}

  private static final Comparator<Entry> LARGEST_FIRST =
      Comparator.comparingLong(Entry::packets).thenComparingLong(Entry::bytes).reversed();

  private final List<Entry> entries = new ArrayList<>();

  /** Whether a flow of so many packets would be kept: cheap, to be asked before offering. */
  boolean wants(long packets) {
    return packets > 0 && (entries.size() < KEPT || packets >= entries.getLast().packets());
  }

  void offer(FlowTuple tuple, FlowTally tally) {
    entries.add(
        new Entry(
            tuple,
            tally.packets,
            tally.bytes,
            tally.firstNs,
            tally.lastNs,
            tally.minGapNs,
            tally.maxGapNs));
    entries.sort(LARGEST_FIRST);
    if (entries.size() > KEPT) {
      entries.removeLast();
    }
  }

  List<Entry> entries() {
    return List.copyOf(entries);
  }
}
