// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

import java.util.Comparator;

/** What the truth knows of one flow; without a gap, both gaps are 0. */
record FlowSummary(
    FlowTuple tuple,
    long packets,
    long bytes,
    long firstNs,
    long lastNs,
    long minGapNs,
    long maxGapNs) {

  /** Most packets first, then most bytes, then by the text of the tuple. */
  static final Comparator<FlowSummary> LARGEST_FIRST =
      Comparator.comparingLong(FlowSummary::packets)
          .thenComparingLong(FlowSummary::bytes)
          .reversed()
          .thenComparing(summary -> summary.tuple().toString());
}
