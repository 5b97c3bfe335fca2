// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.enumerator;

import dev.flowstone.connector.fpga.rings.RingSighting;
import dev.flowstone.model.StreamNumber;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** The latest reports of all readers, by what they see. */
final class Sights {
  /** Different sights of each stream. */
  private final Map<Long, Set<RingSighting>> byStream = new HashMap<>();

  private final Map<Incarnation, List<Integer>> readersByIncarnation = new HashMap<>();

  /** By tap and reader, the least number of rings that the tap fills. */
  private final Map<Long, SortedMap<Integer, Integer>> ringCounts = new HashMap<>();

  private record Incarnation(long stream, long number) {
    static Incarnation of(RingSighting seen) {
      return new Incarnation(seen.stream(), seen.incarnation());
    }
  }

  Sights(SortedMap<Integer, SightReport> reports) {
    reports.forEach((reader, report) -> report.sightings().forEach(seen -> add(reader, seen)));
  }

  private void add(int reader, RingSighting seen) {
    byStream.computeIfAbsent(seen.stream(), _ -> new LinkedHashSet<>()).add(seen);
    List<Integer> readers =
        readersByIncarnation.computeIfAbsent(Incarnation.of(seen), _ -> new ArrayList<>());
    if (readers.isEmpty() || readers.getLast() != reader) {
      readers.add(reader);
    }
    ringCounts
        .computeIfAbsent(StreamNumber.tap(seen.stream()), _ -> new TreeMap<>())
        .merge(reader, seen.ringCount(), Math::min);
  }

  /** Different sights, those of one stream together. */
  Iterable<Set<RingSighting>> ofEachStream() {
    return byStream.values();
  }

  /**
   * Readers that see the ring as it is now; where its tap came again with so few rings that it is
   * gone, those that see the tap, to find out what was missed.
   */
  List<Integer> readersOf(long stream) {
    return byStream.getOrDefault(stream, Set.of()).stream()
        .reduce(RingSighting::newer)
        .map(now -> readersByIncarnation.get(Incarnation.of(now)))
        .orElseGet(() -> readersThatSeeItGivenUp(stream));
  }

  private List<Integer> readersThatSeeItGivenUp(long stream) {
    return ringCounts.getOrDefault(StreamNumber.tap(stream), new TreeMap<>()).entrySet().stream()
        .filter(reader -> reader.getValue() <= StreamNumber.ring(stream))
        .map(Map.Entry::getKey)
        .toList();
  }
}
