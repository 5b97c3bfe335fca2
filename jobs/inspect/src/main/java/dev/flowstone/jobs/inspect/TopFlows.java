// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import dev.flowstone.model.FlowTuple;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Keeps the largest of the flows that are offered to it. */
final class TopFlows {
  static final int COUNT = 5;

  private final List<FlowSummary> largest = new ArrayList<>(COUNT + 1);

  /** Figures may be null: nothing was sent that way. */
  void offer(FlowTuple tuple, FlowFigures figures) {
    if (figures == null || isSmallerThanAll(figures)) {
      return;
    }
    largest.add(FlowSummary.of(tuple, figures));
    largest.sort(FlowSummary.LARGEST_FIRST);
    if (largest.size() > COUNT) {
      largest.removeLast();
    }
  }

  private boolean isSmallerThanAll(FlowFigures figures) {
    if (largest.size() < COUNT) {
      return false;
    }
    FlowSummary least = largest.getLast();
    return figures.packets() < least.packets()
        || (figures.packets() == least.packets() && figures.bytes() < least.bytes());
  }

  List<FlowSummary> list() {
    return List.copyOf(largest);
  }

  static List<FlowSummary> merge(List<FlowSummary> some, List<FlowSummary> others) {
    return Stream.concat(some.stream(), others.stream())
        .sorted(FlowSummary.LARGEST_FIRST)
        .limit(COUNT)
        .toList();
  }
}
