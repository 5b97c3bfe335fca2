// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.enumerator;

import dev.flowstone.connector.fpga.rings.RingName;
import dev.flowstone.connector.fpga.rings.RingSighting;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.offheap.ring.RingStart;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Who reads which ring. Each ring has one reader at a time, on the ring's own host; ring i of n
 * goes to the reader at i/n of that host's, so that it holds the key groups of its Flink subtask
 * when the parallelism divides n.
 *
 * <p>Nothing is assigned before all readers told their host and the splits they were restored with:
 * else a ring could begin anew while its position is still on the way. One thread.
 */
final class RingAssignment {
  /** Most rings that one source reads; more are left alone, and said so. */
  static final int MOST_RINGS = 1 << 16;

  private final int parallelism;
  private final RingStart freshStart;
  private final boolean bounded;

  /** How many rings each known ring's tap fills. */
  private final Map<RingName, Integer> ringCounts = new HashMap<>();

  /** Known rings that no reader has. */
  private final TreeMap<RingName, RingSplit> unassigned = new TreeMap<>();

  /** Known rings whose split is in a checkpoint that a reader has yet to report. */
  private final Set<RingName> awaited = new HashSet<>();

  private final Map<RingName, Integer> owners = new HashMap<>();
  private final TreeMap<Integer, Report> reports = new TreeMap<>();

  /** What a reader said last: it speaks again only when something has changed. */
  private record Report(String host, List<RingSighting> sightings) {}

  RingAssignment(int parallelism, RingStart freshStart, boolean bounded) {
    this.parallelism = parallelism;
    this.freshStart = freshStart;
    this.bounded = bounded;
  }

  /** Takes up what a former enumerator knew. */
  void restore(RingEnumeratorState state) {
    takeBack(state.unassigned());
    ringCounts.putAll(state.assigned());
    awaited.addAll(state.assigned().keySet());
  }

  RingEnumeratorState state() {
    Map<RingName, Integer> assigned = new HashMap<>(ringCounts);
    assigned.keySet().removeAll(unassigned.keySet());
    return new RingEnumeratorState(unassigned(), assigned);
  }

  /** A reader came (again), with the splits of the checkpoint that it was restored from. */
  void readerCame(int subtask, List<RingSplit> restored) {
    reports.remove(subtask);
    takeBack(restored);
  }

  /** A reader failed; these splits it had got since the checkpoint that it goes back to. */
  void readerFailed(int subtask, List<RingSplit> returned) {
    reports.remove(subtask);
    for (Map.Entry<RingName, Integer> owner : owners.entrySet()) {
      if (owner.getValue() == subtask) {
        awaited.add(owner.getKey());
      }
    }
    owners.values().removeIf(owner -> owner == subtask);
    takeBack(returned);
  }

  private void takeBack(Collection<RingSplit> splits) {
    for (RingSplit split : splits) {
      if (!owners.containsKey(split.name())) {
        awaited.remove(split.name());
        ringCounts.put(split.name(), split.ringCount());
        unassigned.put(split.name(), split);
      }
    }
  }

  /** A reader tells its host and the rings there; returns those that are too many. */
  List<RingName> ringsSeen(int subtask, String host, List<RingSighting> sightings) {
    reports.put(subtask, new Report(host, List.copyOf(sightings)));
    return know(sightings);
  }

  private List<RingName> know(List<RingSighting> sightings) {
    List<RingName> tooMany = new ArrayList<>();
    for (RingSighting sighting : sightings) {
      RingName name = sighting.name();
      if (ringCounts.containsKey(name)) {
        ringCounts.put(name, sighting.ringCount());
      } else if (ringCounts.size() < MOST_RINGS) {
        ringCounts.put(name, sighting.ringCount());
        unassigned.put(name, new RingSplit(name, sighting.ringCount(), freshStart));
      } else {
        tooMany.add(name);
      }
    }
    return tooMany;
  }

  private boolean allReadersCame() {
    return reports.size() == parallelism;
  }

  /** Gives out what can be given out now: splits by subtask. */
  Map<Integer, List<RingSplit>> assign() {
    Map<Integer, List<RingSplit>> assigned = new TreeMap<>();
    if (!allReadersCame()) {
      return assigned;
    }
    settleAwaited();
    for (RingSplit split : unassigned()) {
      List<Integer> readers = readersOn(split.name().host());
      if (!readers.isEmpty()) {
        int subtask = readers.get(readerIndex(split, readers.size()));
        unassigned.remove(split.name());
        owners.put(split.name(), subtask);
        assigned.computeIfAbsent(subtask, none -> new ArrayList<>()).add(split);
      }
    }
    return assigned;
  }

  private static int readerIndex(RingSplit split, int readerCount) {
    long index = (long) split.name().ring() * readerCount / split.ringCount();
    return (int) Math.min(index, readerCount - 1);
  }

  /**
   * All readers reported, so what is still awaited is in nobody's state. In a bounded run its
   * reader has finished it; else it is as if it were seen for the first time, where it is.
   */
  private void settleAwaited() {
    if (!bounded && !awaited.isEmpty()) {
      ringCounts.keySet().removeAll(awaited);
      awaited.clear();
      reports.values().forEach(report -> know(report.sightings()));
    }
  }

  private List<Integer> readersOn(String host) {
    return reports.entrySet().stream()
        .filter(reader -> reader.getValue().host().equals(host))
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Splits that no reader has: none is on their host, or not all readers are there yet. */
  List<RingSplit> unassigned() {
    return List.copyOf(unassigned.values());
  }

  /**
   * Whether a bounded run has all it will get: in each folder a tap's rings, all of them, and each
   * with a reader.
   */
  boolean isEverythingAssigned(Collection<String> directories) {
    Set<String> missing = new HashSet<>(directories);
    for (Map.Entry<RingName, Integer> known : ringCounts.entrySet()) {
      missing.remove(known.getKey().directory());
      if (ringsOfTap(known.getKey()) < known.getValue()) {
        return false;
      }
    }
    return allReadersCame() && unassigned.isEmpty() && missing.isEmpty();
  }

  private long ringsOfTap(RingName ring) {
    return ringCounts.keySet().stream().filter(ring::isSameTap).count();
  }
}
