// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.enumerator;

import dev.flowstone.connector.fpga.rings.RingName;
import dev.flowstone.connector.fpga.rings.RingSighting;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.offheap.ring.RingStart;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** An assignment whose readers look again as soon as they are asked, and see what they saw. */
final class AskedAssignment {
  private final RingAssignment assignment;
  private final Map<Integer, SightReport> readers = new TreeMap<>();

  AskedAssignment(int parallelism, RingStart freshStart, boolean bounded) {
    assignment = new RingAssignment(parallelism, freshStart, bounded);
  }

  void restore(RingEnumeratorState state) {
    assignment.restore(state);
  }

  RingEnumeratorState state() {
    return assignment.state(false);
  }

  void readerCame(int subtask, List<RingSplit> restored) {
    readers.remove(subtask);
    assignment.readerCame(subtask, restored);
  }

  void readerFailed(int subtask, List<RingSplit> returned) {
    readers.remove(subtask);
    assignment.readerFailed(subtask, returned);
  }

  void readerMayEnd(int subtask) {
    assignment.readerMayEnd(subtask);
  }

  List<RingName> ringsSeen(int subtask, String host, List<RingSighting> sightings) {
    SightReport report = new SightReport(host, sightings, assignment.looks());
    readers.put(subtask, report);
    return assignment.ringsSeen(subtask, report);
  }

  Map<Integer, List<RingSplit>> assign() {
    Map<Integer, List<RingSplit>> assigned = new TreeMap<>();
    long looks;
    do {
      looks = assignment.looks();
      assignment
          .assign()
          .forEach(
              (subtask, splits) ->
                  assigned.computeIfAbsent(subtask, _ -> new ArrayList<>()).addAll(splits));
      Map.copyOf(readers)
          .forEach((subtask, seen) -> ringsSeen(subtask, seen.host(), seen.sightings()));
    } while (assignment.looks() > looks);
    return assigned;
  }

  List<RingSplit> unassigned() {
    return assignment.unassigned();
  }

  boolean isEverythingAssigned(Collection<String> directories, Collection<String> hosts) {
    return assignment.isEverythingAssigned(directories, hosts);
  }
}
