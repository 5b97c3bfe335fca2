// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.enumerator;

import dev.flowstone.connector.fpga.FpgaSourceOptions;
import dev.flowstone.connector.fpga.rings.RingName;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.model.StreamNumber;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Flink's side of {@link RingAssignment}. */
public final class RingEnumerator implements SplitEnumerator<RingSplit, RingEnumeratorState> {
  private static final Logger LOG = LoggerFactory.getLogger(RingEnumerator.class);
  private static final long COMPLAINT_INTERVAL_MS = 30_000;

  private final SplitEnumeratorContext<RingSplit> context;
  private final List<String> directories;
  private final List<String> hosts;
  private final boolean bounded;
  private final RingAssignment assignment;
  private final Set<Integer> toldNoMoreSplits = new HashSet<>();
  private final Set<Integer> done = new HashSet<>();
  private final Set<Integer> toldAllDone = new HashSet<>();

  /** Failed, and nobody knows yet what they go back to. */
  private final Set<Integer> notBackYet = new HashSet<>();

  /** Rings without a reader at the latest check. They are in a warning only when they change. */
  private List<RingSplit> reportedUnassigned = List.of();

  private long askedLook;
  private boolean isAllRead;

  RingEnumerator(
      SplitEnumeratorContext<RingSplit> context,
      List<String> directories,
      List<String> hosts,
      boolean bounded,
      RingAssignment assignment,
      boolean isAllRead) {
    this.context = context;
    this.directories = directories;
    this.hosts = hosts;
    this.bounded = bounded;
    this.assignment = assignment;
    this.isAllRead = isAllRead;
  }

  /** An enumerator for a source that never ran, or one that goes on from {@code restored}. */
  public static RingEnumerator create(
      SplitEnumeratorContext<RingSplit> context,
      FpgaSourceOptions options,
      RingEnumeratorState restored) {
    RingAssignment assignment =
        new RingAssignment(
            context.currentParallelism(), options.startingPosition().start(), options.bounded());
    assignment.restore(restored);
    return new RingEnumerator(
        context,
        options.ringDirectories(),
        options.hosts(),
        options.bounded(),
        assignment,
        options.bounded() && restored.isAllRead());
  }

  @Override
  public void start() {
    context.metricGroup().setUnassignedSplitsGauge(() -> (long) assignment.unassigned().size());
    context.callAsync(
        () -> true, (always, failure) -> complain(), COMPLAINT_INTERVAL_MS, COMPLAINT_INTERVAL_MS);
  }

  private void complain() {
    List<RingSplit> unassigned = assignment.unassigned();
    if (!unassigned.isEmpty() && !unassigned.equals(reportedUnassigned)) {
      LOG.warn(
          "{} rings have no reader, the first is stream {}, seen last as {}: no TaskManager of this job"
              + " sees it now, or not all subtasks of the source run. Its position is kept; if its"
              + " folder was removed for good, it is never read again",
          unassigned.size(),
          StreamNumber.text(unassigned.getFirst().stream()),
          unassigned.getFirst().name());
    }
    reportedUnassigned = unassigned;
    List<RingName> copies = assignment.copies();
    if (!copies.isEmpty()) {
      LOG.warn(
          "Two taps fill one stream, and only the one that came last is read: {}. One folder is a copy"
              + " of the other: stop the copy's tap, remove its ring files and start it again",
          copies);
    }
    if (bounded && !assignment.isEverythingAssigned(directories, hosts)) {
      LOG.warn(
          "Not every host ({}) has all rings of a tap in {} yet; waiting for them",
          hosts.isEmpty() ? "each that a subtask of the source runs on" : hosts,
          directories);
    }
  }

  @Override
  public void addReader(int subtask) {
    List<RingSplit> restored =
        context.registeredReaders().get(subtask).getReportedSplitsOnRegistration();
    forget(subtask);
    notBackYet.remove(subtask);
    assignment.readerCame(subtask, restored);
    goBackTo(restored);
    if (askedLook > 0) {
      context.sendEventToSourceReader(subtask, new LookAgainEvent(askedLook));
    }
    letEnd();
  }

  /** There is something to read again; nobody has ended before a checkpoint without that. */
  private void goBackTo(List<RingSplit> splits) {
    isAllRead &= splits.isEmpty();
  }

  private void forget(int subtask) {
    toldNoMoreSplits.remove(subtask);
    done.remove(subtask);
    toldAllDone.remove(subtask);
  }

  @Override
  public void handleSourceEvent(int subtask, SourceEvent event) {
    switch (event) {
      case RingsSeenEvent seen -> ringsSeen(subtask, seen);
      case RingForgottenEvent(long stream) -> {
        assignment.forget(subtask, stream);
        assign();
      }
      case ReaderDoneEvent _ -> {
        done.add(subtask);
        isAllRead |= done.size() == context.currentParallelism();
        letEnd();
      }
      default ->
          throw new IllegalArgumentException(
              "unexpected event from subtask " + subtask + ": " + event);
    }
  }

  /** Others of this job that ended before a restart do not come again. */
  private void letEnd() {
    Set<Integer> readers = context.registeredReaders().keySet();
    // Flink strikes out a reader that fails, and returns its splits only when it starts it again.
    if (isAllRead && notBackYet.isEmpty() && readers.containsAll(done)) {
      for (int subtask : readers) {
        tellNoMoreSplits(subtask);
        if (toldAllDone.add(subtask)) {
          assignment.readerMayEnd(subtask);
          context.sendEventToSourceReader(subtask, new AllReadersDoneEvent());
        }
      }
    }
  }

  private void tellNoMoreSplits(int subtask) {
    if (toldNoMoreSplits.add(subtask)) {
      context.signalNoMoreSplits(subtask);
    }
  }

  private void ringsSeen(int subtask, RingsSeenEvent seen) {
    List<RingName> tooMany =
        assignment.ringsSeen(subtask, new SightReport(seen.host(), seen.sightings(), seen.look()));
    if (!tooMany.isEmpty()) {
      LOG.warn(
          "{} rings are not read, {} is the most: the first is {}",
          tooMany.size(),
          RingAssignment.MAX_RINGS,
          tooMany.getFirst());
    }
    assign();
  }

  private void assign() {
    Map<Integer, List<RingSplit>> assigned = assignment.assign();
    if (!assigned.isEmpty()) {
      LOG.info("Rings get readers: {}", assigned);
      context.assignSplits(new SplitsAssignment<>(assigned));
    }
    askForLooks();
    if (bounded && assignment.isEverythingAssigned(directories, hosts)) {
      for (int subtask : context.registeredReaders().keySet()) {
        tellNoMoreSplits(subtask);
      }
    }
  }

  private void askForLooks() {
    if (assignment.looks() > askedLook) {
      askedLook = assignment.looks();
      for (int subtask : context.registeredReaders().keySet()) {
        context.sendEventToSourceReader(subtask, new LookAgainEvent(askedLook));
      }
    }
  }

  @Override
  public void addSplitsBack(List<RingSplit> splits, int subtask) {
    forget(subtask);
    notBackYet.add(subtask);
    assignment.readerFailed(subtask, splits);
    goBackTo(splits);
  }

  /** Readers do not ask: they tell what they see, and get what they shall read. */
  @Override
  public void handleSplitRequest(int subtask, String hostName) {}

  @Override
  public RingEnumeratorState snapshotState(long checkpointId) {
    return assignment.state(isAllRead);
  }

  @Override
  public void close() {}
}
