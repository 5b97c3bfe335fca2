// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.flow;

import dev.flowstone.model.FlowTuple;
import java.util.Comparator;
import java.util.Map;

/**
 * One flow in the answer.
 *
 * @param firstNs time of its first packet in file order; null if not known
 * @param lastNs time of its last packet in file order; null if not known
 * @param gaps times between its packets in file order
 * @param gapsByTime the same after sorting its times; null as long as that must still be done
 * @param unsorted how to find its times for that; null if nothing is to be done
 */
public record FlowSummary(
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
    Gaps gapsByTime,
    UnsortedFlow unsorted) {

  /** The flow with most packets first, then most bytes, then by the text of the tuple. */
  static final Comparator<FlowSummary> LARGEST_FIRST =
      Comparator.comparingLong(FlowSummary::packets)
          .thenComparingLong(FlowSummary::bytes)
          .reversed()
          .thenComparing(FlowSummary::tupleText);

  static FlowSummary of(Conversation conversation, Direction direction) {
    FlowTuple canonical = conversation.tuple;
    FlowTuple tuple = direction == Direction.BACKWARD ? canonical.reversed() : canonical;
    FlowFigures figures = conversation.figures(direction);
    boolean inOrder = figures.isInOrderOfTime();
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
        inOrder ? figures.gaps() : null,
        inOrder
            ? null
            : new UnsortedFlow(
                conversation.tuple, conversation.hash, direction, figures.timedPackets()));
  }

  /** This one, with the gaps that were found for it if any were missing. */
  public FlowSummary withGapsByTime(Map<UnsortedFlow, Gaps> found) {
    if (unsorted == null) {
      return this;
    }
    return new FlowSummary(
        source,
        destination,
        protocol,
        sourcePort,
        destinationPort,
        packets,
        bytes,
        firstNs,
        lastNs,
        gaps,
        negativeGaps,
        found.get(unsorted),
        null);
  }

  private String tupleText() {
    return source + " " + destination + " " + protocol + " " + sourcePort + " " + destinationPort;
  }
}
