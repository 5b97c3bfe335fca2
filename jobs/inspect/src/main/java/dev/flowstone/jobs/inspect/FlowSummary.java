// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import dev.flowstone.model.FlowTuple;
import java.io.Serializable;
import java.util.Comparator;

/**
 * One flow in the answer.
 *
 * @param firstNs time of its first packet in file order; null if not known
 * @param lastNs time of its last packet in file order; null if not known
 * @param gaps times between its packets in file order
 * @param gapsByTime the same after sorting its times
 */
record FlowSummary(
    String source,
    String destination,
    int protocol,
    int sourcePort,
    int destinationPort,
    long packets,
    long bytes,
    Long firstNs,
    Long lastNs,
    Gaps gaps,
    long negativeGaps,
    Gaps gapsByTime)
    implements Serializable {

  /** The flow with most packets first, then most bytes, then by the text of the tuple. */
  static final Comparator<FlowSummary> LARGEST_FIRST =
      Comparator.comparingLong(FlowSummary::packets)
          .thenComparingLong(FlowSummary::bytes)
          .reversed()
          .thenComparing(FlowSummary::tupleText);

  static FlowSummary of(FlowTuple tuple, FlowFigures figures) {
    return new FlowSummary(
        tuple.sourceAddress(),
        tuple.destinationAddress(),
        tuple.protocol(),
        tuple.sourcePort(),
        tuple.destinationPort(),
        figures.packets(),
        figures.bytes(),
        figures.firstNs(),
        figures.lastNs(),
        figures.gaps(),
        figures.negativeGaps(),
        figures.gapsByTime());
  }

  private String tupleText() {
    return source + " " + destination + " " + protocol + " " + sourcePort + " " + destinationPort;
  }
}
