// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import dev.flowstone.connector.fpga.FpgaSourceOptions;
import dev.flowstone.connector.fpga.ReleaseMode;
import dev.flowstone.connector.fpga.rings.OpenRing;
import dev.flowstone.connector.fpga.rings.RingCatalog;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.offheap.ring.RingStart;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.connector.source.SourceOutput;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads one split: opens its ring, waits for it when it is not there, emits its runs, gives space
 * back, and goes on in the next incarnation when the tap was started again. One thread; the reader
 * closes it.
 */
final class RingFollower<T> implements AutoCloseable {
  /** What a step did. */
  enum Step {
    /** Something; come again at once. */
    PROGRESS,
    NOTHING,
    /** Nothing, and nothing more will come. */
    ENDED
  }

  private static final Logger LOG = LoggerFactory.getLogger(RingFollower.class);

  /** Between two questions whether the ring is there, or still the one that the tap fills. */
  private static final long LOOK_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private final RingSplit split;
  private final RingCatalog catalog;
  private final FpgaSourceOptions options;
  private final ReleaseMode releaseMode;
  private final JobFacts job;
  private final RunEmitter<T> emitter;
  private final RingMetrics metrics;
  private final SplitClock clock;
  private final BlockWait blockWait;
  private final RareWarning absence = new RareWarning(LOG);
  private final RareWarning strays = new RareWarning(LOG);
  private final ReleasePoints releasePoints = new ReleasePoints();
  private final RetiredRings retired = new RetiredRings();

  /** Where to go on when there is no open ring. */
  private RingStart start;

  private OpenRing ring;
  private long releasedPosition;
  private boolean ended;
  private boolean quiet;
  private boolean replaced;
  private boolean lookedBefore;
  private long lookedNs;

  RingFollower(
      RingSplit split,
      RingCatalog catalog,
      FpgaSourceOptions options,
      ReleaseMode releaseMode,
      JobFacts job,
      RunEmitter<T> emitter,
      RingMetrics metrics) {
    this.split = split;
    this.catalog = catalog;
    this.options = options;
    this.releaseMode = releaseMode;
    this.job = job;
    this.emitter = emitter;
    this.metrics = metrics;
    this.start = split.start();
    this.clock =
        new SplitClock(options.outOfOrderness().toMillis(), options.idleTimeout().toNanos());
    this.blockWait =
        new BlockWait(options.minimumBlockRecords(), options.maximumBlockWait().toNanos());
  }

  String splitId() {
    return split.splitId();
  }

  /** Emits at most one element. */
  Step step(SourceOutput<T> output, long nowNs) {
    if (ring == null && !open(nowNs)) {
      clock.nothing(output, nowNs);
      return Step.NOTHING;
    }
    releaseWhatWasRead();
    if (blockWait.isOn() && blockWait.isWorthWaiting(ring.backlogSlots(), nowNs)) {
      return Step.NOTHING;
    }
    return switch (ring.poll(options.blockRecords())) {
      case PACKETS -> {
        quiet = false;
        ended = false;
        emitRun(output, nowNs);
        yield Step.PROGRESS;
      }
      case CLOCK -> {
        quiet = false;
        emitLossAlone(output);
        clock.told(output, ring.timeBaseNs());
        yield Step.PROGRESS;
      }
      case NOTHING -> {
        emitLossAlone(output);
        clock.nothing(output, nowNs);
        yield followSuccessor(nowNs);
      }
      case END -> {
        emitLossAlone(output);
        clock.ended(output, ring.timeBaseNs());
        ended = true;
        yield options.bounded() ? Step.ENDED : followSuccessor(nowNs);
      }
    };
  }

  private void emitRun(SourceOutput<T> output, long nowNs) {
    long lost = ring.takeUnreportedLost();
    int count = ring.runCount();
    if (options.verifyKeyGroups() && emitter.isStray(ring)) {
      countStray(nowNs);
    }
    T element = emitter.run(ring, lost);
    clock.packets(output);
    output.collect(element, emitter.timeMs(element));
    metrics.emitted(count, lost);
  }

  private void emitLossAlone(SourceOutput<T> output) {
    long lost = ring.takeUnreportedLost();
    if (lost != 0) {
      T element = emitter.lossAlone(ring, lost);
      output.collect(element, emitter.timeMs(element));
      metrics.emitted(0, lost);
    }
  }

  private void countStray(long nowNs) {
    metrics.keyGroupMismatches.inc();
    strays.warn(
        nowNs,
        "{}: the packet at position {} belongs into another ring by Flink's key groups: results by"
            + " key are wrong; run tap and job from the same release",
        split.name(),
        ring.runPosition());
  }

  /** What was emitted before has been processed when the reader is asked again. */
  private void releaseWhatWasRead() {
    if (releaseMode == ReleaseMode.ON_READ) {
      release(ring.progress().position());
    }
  }

  private void release(long position) {
    if (position > releasedPosition) {
      ring.release(position);
      releasedPosition = position;
    }
  }

  private boolean open(long nowNs) {
    if (!isTimeToLook(nowNs)) {
      return false;
    }
    Optional<OpenRing> opened = catalog.open(split.name(), start);
    if (opened.isEmpty()) {
      metrics.setWaiting(true);
      sayAbsent(nowNs);
      return false;
    }
    follow(opened.get());
    return true;
  }

  private void sayAbsent(long nowNs) {
    absence.warn(
        nowNs,
        "{}: there is no such ring now; waiting for it. Start its tap again (./flowstone tap)",
        split.name());
  }

  private boolean isTimeToLook(long nowNs) {
    if (lookedBefore && nowNs - lookedNs < LOOK_INTERVAL_NS) {
      return false;
    }
    lookedBefore = true;
    lookedNs = nowNs;
    return true;
  }

  private void follow(OpenRing opened) {
    if (start instanceof RingStart.Resume resume
        && resume.progress().incarnation() != opened.incarnation()) {
      metrics.incarnationChanges.inc();
      sayMissed(opened, resume);
    }
    warnIfKeyGroupsDiffer(opened);
    ring = opened;
    releasedPosition = opened.progress().position();
    ended = false;
    replaced = false;
    quiet = false;
    metrics.setWaiting(false);
    metrics.observe(ring, releasedPosition);
  }

  private void sayMissed(OpenRing opened, RingStart.Resume resume) {
    if (opened.isMissedUnknown()) {
      metrics.missedUnknown.inc();
      LOG.warn(
          "{}: the tap was started again so often that nobody knows how many packets were missed"
              + " since incarnation {}",
          split.name(),
          Long.toHexString(resume.progress().incarnation()));
    } else {
      LOG.info(
          "{}: the tap was started again; {} packets were missed",
          split.name(),
          opened.lostPackets() - resume.progress().lostPackets());
    }
  }

  private void warnIfKeyGroupsDiffer(OpenRing opened) {
    int expected = job.maxParallelism().orElse(opened.maxParallelism());
    if (opened.maxParallelism() != expected) {
      LOG.warn(
          "{}: the tap spreads packets over {} key groups, this job has {}: a ring does not hold the"
              + " keys of its subtask. Start tap and job with the same maximum parallelism"
              + " (pipeline.max-parallelism)",
          split.name(),
          opened.maxParallelism(),
          expected);
    }
  }

  /**
   * When a ring has been quiet for a while, asks whether its tap was started again; if so, reads
   * the old incarnation to its end, then goes on in the new one.
   */
  private Step followSuccessor(long nowNs) {
    if (!quiet) {
      quiet = true;
      lookedBefore = true;
      lookedNs = nowNs;
      return Step.NOTHING;
    }
    if (!isTimeToLook(nowNs)) {
      return Step.NOTHING;
    }
    if (!replaced) {
      replaced = ring.isReplaced();
      lookedBefore = !replaced;
      return replaced ? Step.PROGRESS : Step.NOTHING;
    }
    return goOnInSuccessor(nowNs);
  }

  private Step goOnInSuccessor(long nowNs) {
    if (retired.isFull()) {
      absence.warn(
          nowNs,
          "{}: {} incarnations wait for a checkpoint to complete; the next is not read before. Look"
              + " why checkpoints fail",
          split.name(),
          RetiredRings.MOST_RETIRED);
      return Step.NOTHING;
    }
    start = new RingStart.Resume(ring.progress());
    Optional<OpenRing> opened = catalog.open(split.name(), start);
    if (opened.isEmpty()) {
      metrics.setWaiting(true);
      sayAbsent(nowNs);
      return Step.NOTHING;
    }
    if (opened.get().incarnation() == ring.incarnation()) {
      throw new IllegalStateException(
          split.name() + ": a replaced incarnation came back; stop the job and both taps");
    }
    retire(ring);
    follow(opened.get());
    return Step.PROGRESS;
  }

  private void retire(OpenRing former) {
    if (releaseMode == ReleaseMode.ON_READ) {
      former.close();
    } else {
      retired.add(former);
    }
  }

  RingSplit snapshot(long checkpointId) {
    retired.snapshot(checkpointId);
    if (ring == null) {
      return new RingSplit(split.name(), split.ringCount(), start);
    }
    releasePoints.snapshot(checkpointId, ring.incarnation(), ring.progress().position());
    return new RingSplit(split.name(), ring.ringCount(), new RingStart.Resume(ring.progress()));
  }

  void checkpointCompleted(long checkpointId) {
    retired.completed(checkpointId);
    if (ring != null) {
      OptionalLong released = releasePoints.completed(checkpointId, ring.incarnation());
      if (releaseMode == ReleaseMode.ON_CHECKPOINT && released.isPresent()) {
        release(released.getAsLong());
      }
    }
  }

  void checkpointAborted(long checkpointId) {
    releasePoints.aborted(checkpointId);
  }

  void observe() {
    if (ring != null) {
      metrics.observe(ring, releasedPosition);
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
      if (ended) {
        ring.leave();
      }
      ring.close();
      ring = null;
    }
  }
}
