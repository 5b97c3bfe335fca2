// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import dev.flowstone.connector.fpga.EndingPosition;
import dev.flowstone.connector.fpga.FpgaSourceOptions;
import dev.flowstone.connector.fpga.ReleaseMode;
import dev.flowstone.connector.fpga.rings.OpenRing;
import dev.flowstone.connector.fpga.rings.RingCatalog;
import dev.flowstone.connector.fpga.rings.RingName;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.offheap.ring.RingStart;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads one split, over all incarnations of its ring, and gives space back. One thread; the reader
 * closes it.
 */
final class RingFollower<T> implements AutoCloseable {
  /** What a step did. */
  enum Step {
    /** Something; come again at once. */
    PROGRESS,
    NOTHING,
    /** Nothing, and nothing more will come. */
    ENDED,
    /** Nothing, and the reader no longer needs this follower: its tap has given the ring up. */
    FORGOTTEN
  }

  /** A ring that was removed is read so much longer, in case its tap still writes. */
  private static final long REMOVED_RING_NS = TimeUnit.SECONDS.toNanos(10);

  /** So long others of this job may take to read their rings of a former tap to the end. */
  static final long OTHERS_BEHIND_NS = TimeUnit.SECONDS.toNanos(1);

  /** How long a reader follows a ring that its tap has given up: it may return. */
  static final long FORGET_AFTER_NS = TimeUnit.HOURS.toNanos(1);

  private static final Logger LOG = LoggerFactory.getLogger(RingFollower.class);

  private final RingSplit split;
  private final String splitId;
  private final RingIncarnations incarnations;
  private final FpgaSourceOptions options;
  private final ReleaseMode releaseMode;
  private final JobFacts job;
  private final RingMetrics metrics;
  private final RingOutput<T> output;
  private final BlockWait blockWait;
  private final SignsOfLife signsOfLife;
  private final RareWarning crowding = new RareWarning(LOG);
  private final RareWarning misplacement = new RareWarning(LOG);
  private final ReleasePoints releasePoints = new ReleasePoints();
  private final RetiredRings retired = new RetiredRings();

  private OpenRing ring;
  private long releasedPosition;

  /** Empty: wherever the tap ends. */
  private OptionalLong endPosition = OptionalLong.empty();

  private boolean ended;
  private boolean finished;

  /** Whether this ring's lane was given up. */
  private boolean left;

  private boolean replaced;
  private long replacedNs;

  /** Why what follows the rings that were read is not read here. */
  private Optional<IllegalStateException> misplaced = Optional.empty();

  private long misplacedNs;

  RingFollower(
      RingSplit split,
      RingCatalog catalog,
      FpgaSourceOptions options,
      ReleaseMode releaseMode,
      JobFacts job,
      RunEmitter<T> emitter,
      SignsOfLife signsOfLife,
      RingMetrics metrics) {
    this.split = split;
    this.signsOfLife = signsOfLife;
    this.splitId = split.splitId();
    this.options = options;
    this.releaseMode = releaseMode;
    this.job = job;
    this.metrics = metrics;
    this.incarnations = new RingIncarnations(split, catalog, job, metrics);
    this.output = new RingOutput<>(splitId, split.name(), options, emitter, metrics);
    this.blockWait =
        new BlockWait(options.minimumBlockRecords(), options.maximumBlockWait().toNanos());
  }

  String splitId() {
    return splitId;
  }

  RingName name() {
    return split.name();
  }

  /** From here on the task's time waits for this ring's. */
  void join(ReaderOutput<T> task) {
    output.join(task);
  }

  /** Emits at most one run. */
  Step step(ReaderOutput<T> task, long nowNs) {
    join(task);
    if (misplaced.isPresent()) {
      return failWhenAllIsKept(nowNs);
    }
    if (ring == null) {
      incarnations.open(nowNs).ifPresent(opened -> follow(opened, nowNs));
    }
    if (ring == null) {
      return whileNoneIsThere(nowNs);
    }
    releaseWhatWasRead();
    if (isWorthWaiting(nowNs)) {
      return Step.NOTHING;
    }
    if (slotsToEnd() == 0) {
      output.emitLastLoss(ring);
      finish();
      leaveIfReleased();
      return Step.ENDED;
    }
    return switch (ring.poll((int) Math.min(options.blockRecords(), slotsToEnd()))) {
      case PACKETS -> {
        ended = false;
        output.emit(ring, ring.run(), nowNs);
        yield Step.PROGRESS;
      }
      case CLOCK -> {
        output.emitDatedLoss(ring);
        output.tellTime(ring);
        yield Step.PROGRESS;
      }
      case NOTHING -> {
        output.emitDatedLoss(ring);
        output.nothing(nowNs);
        yield followSuccessor(nowNs);
      }
      case END -> {
        output.emitLastLoss(ring);
        end();
        yield options.bounded() ? finish() : waitForSuccessor(nowNs);
      }
    };
  }

  private long slotsToEnd() {
    return endPosition.isEmpty()
        ? Long.MAX_VALUE
        : Math.max(0, endPosition.getAsLong() - ring.position());
  }

  /** The last look may have been before its last packets. */
  private void end() {
    if (!ended) {
      ended = true;
      observe();
    }
  }

  private Step finish() {
    finished = true;
    output.finished();
    return Step.ENDED;
  }

  private Step waitForSuccessor(long nowNs) {
    output.ended(ring, nowNs);
    return followSuccessor(nowNs);
  }

  private boolean isWorthWaiting(long nowNs) {
    return blockWait.isOn()
        && blockWait.isWorthWaiting(
            ring.position(), ring.backlogSlots(), ring.identity().slotCount(), nowNs);
  }

  /** What was emitted before has been processed when the reader is asked again. */
  private void releaseWhatWasRead() {
    if (releaseMode != ReleaseMode.ON_CHECKPOINT) {
      release(ring.position());
    }
  }

  private void release(long position) {
    if (position > releasedPosition) {
      ring.release(position);
      releasedPosition = position;
    }
  }

  /**
   * Closes a ring again that has other subtasks' flows, where this one may read its own alone.
   *
   * @return whether it did
   */
  private boolean closeIfMisplaced(OpenRing opened, long nowNs) {
    if (!options.requireOwnKeyGroups()) {
      return false;
    }
    try {
      job.requireOwnKeyGroups(split.name(), opened.identity());
      return false;
    } catch (IllegalStateException e) {
      // A ring of which nothing was ever read need not be held for this job.
      if (!(incarnations.start() instanceof RingStart.Resume)) {
        opened.leave();
      }
      opened.close();
      misplaced = Optional.of(e);
      misplacedNs = nowNs;
      return true;
    }
  }

  private void follow(OpenRing opened, long nowNs) {
    if (closeIfMisplaced(opened, nowNs)) {
      ring = null;
      return;
    }
    ring = opened;
    signsOfLife.add(opened);
    releasedPosition = opened.position();
    if (options.endingPosition() == EndingPosition.LATEST) {
      endPosition = OptionalLong.of(opened.position() + opened.backlogSlots());
    }
    ended = false;
    left = false;
    replaced = false;
    blockWait.begin();
    metrics.observe(ring, releasedPosition, ended);
    output.tellTimeBefore(ring);
  }

  /** A replaced ring is read to its end before the next is opened. */
  private Step followSuccessor(long nowNs) {
    if (replaced) {
      return goOnInSuccessor(nowNs);
    }
    replaced = incarnations.isReplaced(ring, nowNs);
    replacedNs = nowNs;
    return replaced ? Step.PROGRESS : Step.NOTHING;
  }

  private Step whileNoneIsThere(long nowNs) {
    if (options.bounded() && incarnations.isGivenUp()) {
      if (ring != null) {
        output.emitLastLoss(ring);
      }
      return finish();
    }
    if (ring == null && retired.size() == 0 && incarnations.isGivenUpFor(FORGET_AFTER_NS, nowNs)) {
      return forget();
    }
    output.nothing(nowNs);
    return Step.NOTHING;
  }

  private Step forget() {
    LOG.info(
        "{} (stream {}) is no longer looked for: for {} min its tap has had fewer rings, or another tap has"
            + " filled its folder",
        split.name(),
        splitId,
        TimeUnit.NANOSECONDS.toMinutes(FORGET_AFTER_NS));
    return Step.FORGOTTEN;
  }

  long stream() {
    return split.stream();
  }

  private Step goOnInSuccessor(long nowNs) {
    if (retired.isFullFor(ring)) {
      crowding.warn(
          nowNs,
          "{}: {} incarnations wait for a checkpoint to complete; the next is not read before. Look"
              + " why checkpoints fail",
          split.name(),
          retired.size() + 1);
      return Step.NOTHING;
    }
    Optional<OpenRing> successor = incarnations.openSuccessor(ring, nowNs);
    if (successor.isEmpty()) {
      leaveWhatIsGone(nowNs);
      return whileNoneIsThere(nowNs);
    }
    OpenRing former = ring;
    follow(successor.get(), nowNs);
    misplaced = misplaced.map(this::afterReading);
    retire(former);
    return Step.PROGRESS;
  }

  private IllegalStateException afterReading(IllegalStateException why) {
    return new IllegalStateException(
        split.name()
            + ": its tap deals packets to other rings than before, and the restart of this job gives"
            + " each ring to whom it belongs. If that fails, too: "
            + why.getMessage(),
        why);
  }

  /**
   * A tap deals packets to other rings than before, and this one is another subtask's now, which
   * gets it when the job has failed. The rings before are gone by then, so a checkpoint that holds
   * what was read of them comes first.
   */
  private Step failWhenAllIsKept(long nowNs) {
    IllegalStateException why = misplaced.orElseThrow();
    if (retired.size() == 0) {
      throw why;
    }
    misplacement.warn(
        nowNs,
        "{}: this job fails when a checkpoint holds what was read of the rings before: {}",
        split.name(),
        why.getMessage());
    output.nothing(nowNs);
    return Step.NOTHING;
  }

  /**
   * The file was removed and nothing came in its place: its memory goes, too. A tap that is still
   * at work there has noticed by then, and ended.
   */
  private void leaveWhatIsGone(long nowNs) {
    if (ended || nowNs - replacedNs >= REMOVED_RING_NS) {
      retire(ring);
      ring = null;
    }
  }

  private void retire(OpenRing former) {
    signsOfLife.remove(former);
    if (releaseMode == ReleaseMode.ON_CHECKPOINT) {
      retired.add(former);
    } else {
      former.close();
    }
  }

  /**
   * Where to go on. Empty once all of a bounded run's ring was emitted: whoever goes on from there
   * must not wait for its file, which may be removed.
   */
  Optional<RingSplit> snapshot(long checkpointId, long nowNs) {
    if (misplaced.isEmpty() || nowNs - misplacedNs >= OTHERS_BEHIND_NS) {
      retired.snapshot(checkpointId);
    }
    if (finished) {
      if (endPosition.isPresent() && ring != null) {
        releasePoints.snapshot(checkpointId, ring.identity().incarnation(), ring.position());
      }
      return Optional.empty();
    }
    if (ring == null) {
      return Optional.of(split(split.ringCount(), incarnations.start()));
    }
    if (!ring.isHeld()) {
      throw new IllegalStateException(
          split.name()
              + ": this ring's lane is no longer this job's. Either another job reads under the same"
              + " reader name: give each a name of its own (readerName, --reader-name). Or it was"
              + " freed, by hand or because this job gave no sign of life for longer than its lane"
              + " expiry: a restart goes on, and counts what was missed");
    }
    releasePoints.snapshot(checkpointId, ring.identity().incarnation(), ring.position());
    return Optional.of(split(ring.identity().ringCount(), new RingStart.Resume(ring.progress())));
  }

  private RingSplit split(int ringCount, RingStart start) {
    return new RingSplit(split.stream(), split.name(), ringCount, start);
  }

  void checkpointCompleted(long checkpointId) {
    retired.completed(checkpointId);
    if (ring != null) {
      OptionalLong released = releasePoints.completed(checkpointId, ring.identity().incarnation());
      if (releaseMode == ReleaseMode.ON_CHECKPOINT && released.isPresent()) {
        release(released.getAsLong());
        leaveIfReleased();
      }
    }
  }

  /** The tap continues, and must not wait for a reader that has finished. */
  private void leaveIfReleased() {
    if (finished && endPosition.isPresent() && releasedPosition >= ring.position()) {
      leave();
    }
  }

  /** Once: the lane may have another reader by then. */
  private void leave() {
    if (!left) {
      left = true;
      signsOfLife.remove(ring);
      ring.leave();
    }
  }

  void checkpointAborted(long checkpointId) {
    releasePoints.aborted(checkpointId);
  }

  void observe() {
    if (ring != null) {
      metrics.observe(ring, releasedPosition, ended);
    }
  }

  long backlogSlots() {
    return metrics.backlogSlots();
  }

  /** An ended ring is not written any more: no successor needs its space held. */
  @Override
  public void close() {
    retired.close();
    if (ring != null) {
      signsOfLife.remove(ring);
      if (ended) {
        leave();
      }
      ring.close();
      ring = null;
    }
  }
}
