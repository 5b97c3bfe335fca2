// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.synthetic;

import java.util.ArrayList;
import java.util.List;

/** The {@value #SIZE} largest flows offered so far. */
final class TopFlows {
  static final int SIZE = 5;

  private final List<FlowSummary> largest;

  TopFlows() {
    largest = new ArrayList<>(SIZE + 1);
  }

  private TopFlows(TopFlows other) {
    this();
    largest.addAll(other.largest);
  }

  TopFlows copy() {
    return new TopFlows(this);
  }

  /** A cheap test to spare making a summary for every small flow that ends. */
  boolean mayAccept(long packets) {
    return packets > 0 && (largest.size() < SIZE || packets >= largest.getLast().packets());
  }

  void offer(FlowSummary summary) {
    largest.add(summary);
    largest.sort(FlowSummary.LARGEST_FIRST);
    if (largest.size() > SIZE) {
      largest.removeLast();
    }
  }

  List<FlowSummary> list() {
    return List.copyOf(largest);
  }
}
