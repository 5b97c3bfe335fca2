// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The alerts of which something was told last; older ones are forgotten. */
final class AlertBoard {
  /** More than any window shows. */
  static final int MOST_ALERTS = 64;

  /** That of which nothing was told for longest comes first. */
  private final Map<String, AlertNews> latestById = new LinkedHashMap<>();

  private final Deque<AlertNews> untold = new ArrayDeque<>();
  private long opened;

  void take(AlertNews news) {
    opened += news.isOpening() ? 1 : 0;
    latestById.remove(news.id());
    latestById.put(news.id(), news);
    if (latestById.size() > MOST_ALERTS) {
      latestById.remove(latestById.keySet().iterator().next());
    }
    if (news.isOpening() || news.isClosed()) {
      untold.addLast(news);
    }
    if (untold.size() > MOST_ALERTS) {
      untold.removeFirst();
    }
  }

  /** All that ever were, also those forgotten. */
  long opened() {
    return opened;
  }

  /** Openings and closings since this was asked last, but for those that were too many. */
  List<AlertNews> takeNews() {
    List<AlertNews> taken = List.copyOf(untold);
    untold.clear();
    return taken;
  }

  /** Of one moment the gravest first: a small window shows only one. */
  List<AlertNews> newest() {
    return latestById.values().stream()
        .sorted(
            Comparator.comparing(AlertNews::time)
                .thenComparingDouble(AlertNews::severity)
                .reversed())
        .toList();
  }
}
