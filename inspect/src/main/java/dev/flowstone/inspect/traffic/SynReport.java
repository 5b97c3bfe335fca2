// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.traffic;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The SYN windows of a whole capture.
 *
 * @param windows destinations and windows with a SYN at all
 * @param largest most SYNs to a destination within a window
 * @param withExactly10 windows just below the threshold
 * @param withExactly11 windows just above it
 * @param overByDestination windows above the threshold, by window, then address
 * @param overByPort the same for destination and port
 */
public record SynReport(
    long windows,
    long largest,
    long withExactly10,
    long withExactly11,
    List<SynCount> overByDestination,
    List<SynCount> overByPort) {
  /** A window with more SYNs than this is reported. */
  public static final int THRESHOLD = 10;

  /** From counts by window, destination and port. */
  static SynReport of(List<SynCount> byPort) {
    Map<SynCount, SynCount> byDestination = new HashMap<>();
    for (SynCount count : byPort) {
      SynCount ofAllPorts = count.ofAllPorts();
      byDestination.merge(ofAllPorts.key(), ofAllPorts, SynCount::plus);
    }
    return new SynReport(
        byDestination.size(),
        byDestination.values().stream().mapToLong(SynCount::count).max().orElse(0),
        withExactly(THRESHOLD, byDestination.values()),
        withExactly(THRESHOLD + 1, byDestination.values()),
        over(byDestination.values()),
        over(byPort));
  }

  private static long withExactly(int syns, Collection<SynCount> counts) {
    return counts.stream().filter(count -> count.count() == syns).count();
  }

  private static List<SynCount> over(Collection<SynCount> counts) {
    return counts.stream()
        .filter(count -> count.count() > THRESHOLD)
        .sorted(SynCount.BY_WINDOW_AND_DESTINATION)
        .toList();
  }
}
