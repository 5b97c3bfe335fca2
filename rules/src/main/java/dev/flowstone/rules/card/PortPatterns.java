// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.card;

import dev.flowstone.rules.PortMatch;
import java.util.ArrayList;
import java.util.List;

/** Ports as values under masks: a range takes as many as it has prefixes. */
final class PortPatterns {
  /**
   * @param value of the bits that are looked at
   */
  record Pattern(int value, int mask) {}

  private PortPatterns() {}

  static List<Pattern> of(PortMatch ports) {
    return switch (ports) {
      case PortMatch.Masked(int value, int mask) -> List.of(new Pattern(value, mask));
      case PortMatch.Ranges(List<PortMatch.Range> ranges) -> {
        List<Pattern> all = new ArrayList<>();
        ranges.forEach(range -> addPrefixes(range, all));
        yield all;
      }
    };
  }

  private static void addPrefixes(PortMatch.Range range, List<Pattern> all) {
    int first = range.first();
    while (first <= range.last()) {
      int size = Math.min(alignment(first), Integer.highestOneBit(range.last() - first + 1));
      all.add(new Pattern(first, PortMatch.MOST_PORT & -size));
      first += size;
    }
  }

  private static int alignment(int port) {
    return port == 0 ? PortMatch.MOST_PORT + 1 : Integer.lowestOneBit(port);
  }
}
