// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.flow;

import java.util.ArrayList;
import java.util.List;

/** Keeps the {@value #COUNT} largest of the flows that are offered to it. */
final class TopFlows {
  static final int COUNT = 5;

  private final List<FlowSummary> largest = new ArrayList<>(COUNT + 1);

  /** Does nothing if nothing was sent that way. */
  void offer(Conversation conversation, Direction direction) {
    FlowFigures figures = conversation.figures(direction);
    if (figures == null || isSmallerThanAll(figures)) {
      return;
    }
    largest.add(FlowSummary.of(conversation, direction));
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
}
