// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.enumerator;

import dev.flowstone.connector.fpga.rings.RingName;
import dev.flowstone.connector.fpga.rings.RingSighting;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.offheap.ring.RingStart;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.api.connector.source.SupportsSplitReassignmentOnRecovery;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who reads which ring. A ring is its stream number, wherever it is seen: hosts may be renamed,
 * share a name, or see one folder under two. It has one reader at a time, one that reported seeing
 * it; ring i of n goes to the reader at i/n of those, so that on one host it holds the key groups
 * of its Flink subtask when the parallelism divides n.
 *
 * <p>Nothing is assigned before all readers told what they see and the splits they were restored
 * with: else a ring could begin anew while its position is still on the way. Readers look at
 * different moments: what some of them tell and others do not is decided when all have looked
 * again, see {@link #looks}. One thread.
 */
final class RingAssignment {
  private static final Logger LOG = LoggerFactory.getLogger(RingAssignment.class);

  /** More rings than these are not read, except in place of known ones that no reader sees. */
  static final int MAX_RINGS = 1 << 16;

  private static final Comparator<RingSplit> BY_RING =
      Comparator.comparingInt(RingSplit::ring).thenComparingLong(RingSplit::stream);

  private final int parallelism;
  private final RingStart freshStart;
  private final boolean bounded;

  /** Every ring that was ever seen and is not forgotten, by stream. */
  private final Map<Long, KnownRing> known = new HashMap<>();

  /** Known rings that no reader has. */
  private final Map<Long, RingSplit> unassigned = new HashMap<>();

  /** Known rings whose split is in a checkpoint that a reader has yet to report. */
  private final Set<Long> awaited = new HashSet<>();

  private final Map<Long, Integer> owners = new HashMap<>();
  private final TreeMap<Integer, SightReport> reports = new TreeMap<>();

  /** Readers that look at nothing any more, and may be gone. */
  private final Set<Integer> ending = new HashSet<>();

  /** Streams on which reports differ, and the look after which they count. */
  private Map<Long, Long> doubts = new HashMap<>();

  private long looks;

  /** Whether a reader ever came with splits of a checkpoint. */
  private boolean isReported;

  private boolean hasBegun;
  private boolean isComplete;

  /** Whether rings of the latest reports are not read because there are too many. */
  private boolean hasTooMany;

  RingAssignment(int parallelism, RingStart freshStart, boolean bounded) {
    this.parallelism = parallelism;
    this.freshStart = freshStart;
    this.bounded = bounded;
  }

  /** Takes up what a former enumerator knew. */
  void restore(RingEnumeratorState state) {
    takeBack(state.unassigned());
    known.putAll(state.assigned());
    awaited.addAll(state.assigned().keySet());
    hasBegun = state.hasBegun();
    isComplete = state.isComplete();
  }

  RingEnumeratorState state(boolean isAllRead) {
    Map<Long, KnownRing> assigned = new HashMap<>(known);
    assigned.keySet().removeAll(unassigned.keySet());
    return new RingEnumeratorState(unassigned(), assigned, hasBegun, isComplete, isAllRead);
  }

  /** A reader came (again), with the splits of the checkpoint that it was restored from. */
  void readerCame(int subtask, List<RingSplit> restored) {
    forget(subtask);
    isReported |= !restored.isEmpty();
    takeBack(restored);
  }

  /** A reader failed; these splits it had got since the checkpoint that it goes back to. */
  void readerFailed(int subtask, List<RingSplit> returned) {
    forget(subtask);
    for (Map.Entry<Long, Integer> owner : owners.entrySet()) {
      if (owner.getValue() == subtask) {
        awaited.add(owner.getKey());
      }
    }
    owners.values().removeIf(owner -> owner == subtask);
    takeBack(returned);
  }

  private void forget(int subtask) {
    reports.remove(subtask);
    ending.remove(subtask);
  }

  /** A reader was let end: what it saw last counts, and it gets nothing any more. */
  void readerMayEnd(int subtask) {
    ending.add(subtask);
  }

  /** Its reader no longer follows it. If readers see it, it is a new ring. */
  void forget(int subtask, long stream) {
    if (owners.remove(stream, subtask)) {
      known.remove(stream);
      reports.values().forEach(report -> know(report.sightings()));
    }
  }

  private void takeBack(Collection<RingSplit> splits) {
    for (RingSplit split : splits) {
      if (!owners.containsKey(split.stream())) {
        awaited.remove(split.stream());
        known.put(split.stream(), new KnownRing(split.name(), split.ringCount()));
        unassigned.put(split.stream(), split);
      }
    }
  }

  /**
   * A reader tells what it sees; returns the rings that are too many.
   *
   * @throws IllegalStateException if it sees two taps that fill one stream
   */
  List<RingName> ringsSeen(int subtask, SightReport report) {
    requireNoTwins(report.sightings());
    reports.put(subtask, report);
    List<RingName> tooMany = new ArrayList<>(know(report.sightings()));
    if (hasTooMany && allReadersCame()) {
      // Readers report again only what has changed, and there may be space now.
      reports.entrySet().stream()
          .filter(other -> other.getKey() != subtask)
          .forEach(other -> tooMany.addAll(know(other.getValue().sightings())));
      hasTooMany = false;
    }
    hasTooMany |= !tooMany.isEmpty();
    return tooMany;
  }

  /** Looks that all readers must have been asked for; a reader that comes later, too. */
  long looks() {
    return looks;
  }

  /** In one report: whichever came after the other, both taps are at work. */
  private static void requireNoTwins(List<RingSighting> sightings) {
    Map<Long, RingSighting> seen = new HashMap<>();
    for (RingSighting sighting : sightings) {
      RingSighting other = seen.put(sighting.stream(), sighting);
      if (other != null && sighting.isTwinOf(other)) {
        throw twoTaps(sighting, other);
      }
    }
  }

  /** Over all reports, of which one may be older than a tap that was started again. */
  private void requireNoRivals(Sights sights, Map<Long, Long> former) {
    for (Set<RingSighting> seen : sights.ofEachStream()) {
      for (RingSighting sighting : seen) {
        Optional<RingSighting> rival = seen.stream().filter(sighting::isRivalOf).findAny();
        if (rival.isPresent() && isBeyondDoubt(sighting.stream(), former)) {
          throw twoTaps(sighting, rival.get());
        }
      }
    }
  }

  private static IllegalStateException twoTaps(RingSighting one, RingSighting other) {
    return new IllegalStateException(
        String.format(
            "two taps fill stream %s at once: %s (incarnation %016x) and %s (incarnation %016x);"
                + " one folder is a copy of the other. Stop the copy's tap, remove its ring files"
                + " and start it again: then its rings are streams of their own",
            StreamNumber.text(one.stream()),
            one.name(),
            one.incarnation(),
            other.name(),
            other.incarnation()));
  }

  /**
   * Places where a tap fills a stream while another does elsewhere, as of the last reports: one
   * remembers the other as its forerunner, or it would have been refused.
   */
  List<RingName> copies() {
    List<RingName> copies = new ArrayList<>();
    for (Set<RingSighting> seen : new Sights(reports).ofEachStream()) {
      for (RingSighting one : seen) {
        if (seen.stream().anyMatch(other -> isCopy(one, other))) {
          copies.add(one.name());
        }
      }
    }
    copies.sort(Comparator.comparing(RingName::toString));
    return copies;
  }

  private static boolean isCopy(RingSighting one, RingSighting other) {
    return one.isTwinOf(other) && !one.name().equals(other.name());
  }

  private List<RingName> know(List<RingSighting> sightings) {
    List<RingName> tooMany = new ArrayList<>();
    makeSpaceFor(sightings.stream().filter(seen -> !known.containsKey(seen.stream())).count());
    for (RingSighting sighting : sightings) {
      KnownRing ring = new KnownRing(sighting.name(), sighting.ringCount());
      if (known.containsKey(sighting.stream())) {
        known.put(sighting.stream(), ring);
        // A restored split tells of the tap as it was: its rings may be more or fewer now.
        unassigned.computeIfPresent(
            sighting.stream(),
            (stream, split) -> new RingSplit(stream, ring.name(), ring.ringCount(), split.start()));
      } else if (known.size() < MAX_RINGS) {
        known.put(sighting.stream(), ring);
        unassigned.put(
            sighting.stream(),
            new RingSplit(sighting.stream(), ring.name(), ring.ringCount(), startOfNew()));
      } else {
        tooMany.add(sighting.name());
      }
    }
    return tooMany;
  }

  /**
   * Forgets rings that no reader can read, and that may never return. Before all readers have
   * reported, any ring may be readable.
   */
  private void makeSpaceFor(long newRings) {
    long missing = known.size() + newRings - MAX_RINGS;
    if (missing <= 0 || !allReadersCame()) {
      return;
    }
    Sights sights = new Sights(reports);
    List<RingSplit> forgotten =
        unassigned().stream()
            .filter(split -> sights.readersOf(split.stream()).isEmpty())
            .limit(missing)
            .toList();
    for (RingSplit split : forgotten) {
      unassigned.remove(split.stream());
      known.remove(split.stream());
    }
    if (!forgotten.isEmpty()) {
      LOG.warn(
          "{} rings that no reader sees are forgotten, the first is {} (stream {}), because there are"
              + " more than {}: if one returns, it is read from its oldest packet",
          forgotten.size(),
          forgotten.getFirst().name(),
          StreamNumber.text(forgotten.getFirst().stream()),
          MAX_RINGS);
    }
  }

  /** What appears while the source runs is new from its first packet on. */
  private RingStart startOfNew() {
    return hasBegun ? RingStart.OLDEST : freshStart;
  }

  private boolean allReadersCame() {
    return reports.size() == parallelism;
  }

  /**
   * Gives out what can be given out now: splits by subtask.
   *
   * @throws IllegalStateException if two taps fill one stream
   */
  Map<Integer, List<RingSplit>> assign() {
    Map<Integer, List<RingSplit>> assigned = new TreeMap<>();
    if (!allReadersCame()) {
      return assigned;
    }
    Map<Long, Long> former = doubts;
    doubts = new HashMap<>();
    Sights sights = new Sights(reports);
    requireNoRivals(sights, former);
    settleAwaited();
    hasBegun = true;
    for (RingSplit split : unassigned()) {
      List<Integer> readers = sights.readersOf(split.stream());
      List<Integer> staying = readers.stream().filter(reader -> !ending.contains(reader)).toList();
      boolean isSeenByAll = readers.size() == parallelism;
      if (!staying.isEmpty() && (isSeenByAll || isBeyondDoubt(split.stream(), former))) {
        int usual = readerOf(split, readers);
        int subtask = staying.contains(usual) ? usual : readerOf(split, staying);
        unassigned.remove(split.stream());
        doubts.remove(split.stream());
        owners.put(split.stream(), subtask);
        assigned.computeIfAbsent(subtask, _ -> new ArrayList<>()).add(split);
      }
    }
    return assigned;
  }

  /**
   * Whether all readers have looked since there was doubt about a stream.
   *
   * @param former the doubts that there were when this was asked last
   */
  private boolean isBeyondDoubt(long stream, Map<Long, Long> former) {
    long look = former.getOrDefault(stream, looks + 1);
    doubts.put(stream, look);
    looks = Math.max(looks, look);
    return reports.entrySet().stream()
        .filter(reader -> !ending.contains(reader.getKey()))
        .allMatch(reader -> reader.getValue().look() >= look);
  }

  private static int readerOf(RingSplit split, List<Integer> readers) {
    long index = (long) split.ring() * readers.size() / split.ringCount();
    return readers.get((int) Math.min(index, readers.size() - 1));
  }

  /**
   * All readers came, so no state has the rings that are still awaited. The reader of a bounded run
   * has finished such a ring. In an unbounded run the ring starts again from its oldest packet.
   *
   * @throws IllegalStateException if no reader reported any split: then the readers read these
   *     rings from their own state, and a second reader of a ring would take its lane
   */
  private void settleAwaited() {
    if (bounded || awaited.isEmpty()) {
      return;
    }
    KnownRing first = known.get(awaited.stream().min(Comparator.naturalOrder()).orElseThrow());
    if (!isReported && !isComplete) {
      throw new IllegalStateException(
          first.name()
              + ": no reader reported the splits of its checkpoint; a source that wraps FpgaSource"
              + " must implement "
              + SupportsSplitReassignmentOnRecovery.class.getSimpleName());
    }
    LOG.warn(
        "{} assigned rings are in no reader's checkpoint, the first is {}: reading them from their"
            + " oldest packet",
        awaited.size(),
        first.name());
    known.keySet().removeAll(awaited);
    awaited.clear();
    reports.values().forEach(report -> know(report.sightings()));
  }

  /** Splits that no reader has: none sees them, or not all readers are there yet. */
  List<RingSplit> unassigned() {
    return unassigned.values().stream().sorted(BY_RING).toList();
  }

  /**
   * Whether a bounded run has all it will get: on each host, in each folder, a tap's rings, all of
   * them, and each with a reader. Once it had, files may go.
   *
   * @param hosts that have taps; empty: those of all readers
   */
  boolean isEverythingAssigned(Collection<String> directories, Collection<String> hosts) {
    if (!allReadersCame() || !unassigned.isEmpty()) {
      return false;
    }
    isComplete |= isEveryTapWhole(directories, hosts);
    return isComplete;
  }

  private boolean isEveryTapWhole(Collection<String> directories, Collection<String> hosts) {
    Set<String> unheardOf = new HashSet<>(hosts);
    for (SightReport report : reports.values()) {
      unheardOf.remove(report.host());
      boolean isAwaited = hosts.isEmpty() || hosts.contains(report.host());
      if (isAwaited && !directories.stream().allMatch(report::seesWholeTap)) {
        return false;
      }
    }
    return unheardOf.isEmpty();
  }
}
