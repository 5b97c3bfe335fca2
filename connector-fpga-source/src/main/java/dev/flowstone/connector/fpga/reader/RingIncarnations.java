// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import dev.flowstone.connector.fpga.rings.OpenRing;
import dev.flowstone.connector.fpga.rings.RingCatalog;
import dev.flowstone.connector.fpga.rings.RingSighting;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.offheap.ring.LaneTakenException;
import dev.flowstone.offheap.ring.RingStart;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the incarnation of a ring to read: the one that is there, or the next when its tap was
 * started again. Asks seldom, and says what a user should know of the change.
 */
final class RingIncarnations {
  private static final Logger LOG = LoggerFactory.getLogger(RingIncarnations.class);

  /** Between two questions whether the ring is there, or still the one that the tap fills. */
  private static final long LOOK_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The same of a ring that its tap gave up: there may be many. */
  private static final long GIVEN_UP_INTERVAL_NS = TimeUnit.SECONDS.toNanos(2);

  private static final long NONE_FOUND = Long.MIN_VALUE;

  private final RingSplit split;
  private final RingCatalog catalog;
  private final JobFacts job;
  private final RingMetrics metrics;
  private final RareWarning absence = new RareWarning(LOG);
  private final Interval opening = new Interval(LOOK_INTERVAL_NS);
  private final Interval openingAgain = new Interval(GIVEN_UP_INTERVAL_NS);
  private final Interval watching = new Interval(LOOK_INTERVAL_NS);

  /** Where the next ring to be opened is read from. */
  private RingStart start;

  private boolean givenUp;
  private long givenUpNs;
  private boolean wasOpen;
  private long rivalFoundNs = NONE_FOUND;

  RingIncarnations(RingSplit split, RingCatalog catalog, JobFacts job, RingMetrics metrics) {
    this.split = split;
    this.catalog = catalog;
    this.job = job;
    this.metrics = metrics;
    this.start = split.start();
  }

  RingStart start() {
    return start;
  }

  /** The ring that is there now, if there is one. */
  Optional<OpenRing> open(long nowNs) {
    if (!(givenUp ? openingAgain : opening).isOver(nowNs)) {
      return Optional.empty();
    }
    Optional<OpenRing> opened;
    try {
      opened = catalog.open(split.stream(), start);
    } catch (LaneTakenException rival) {
      requireNoLife(rival, nowNs);
      return Optional.empty();
    }
    rivalFoundNs = NONE_FOUND;
    metrics.setWaiting(opened.isEmpty());
    if (opened.isEmpty()) {
      lookWhetherGivenUp(nowNs);
      absence.warn(
          nowNs,
          "{}: there is no such ring now; waiting for it. Start its tap again (./flowstone tap)",
          split.name());
      return opened;
    }
    opening.end();
    givenUp = false;
    wasOpen = true;
    sayWhatWasMissed(opened.get());
    warnIfKeyGroupsDiffer(opened.get());
    return opened;
  }

  /** Whoever had the lane may have died a moment ago: it is refused once it shows life again. */
  private void requireNoLife(LaneTakenException rival, long nowNs) {
    if (rivalFoundNs == NONE_FOUND) {
      rivalFoundNs = nowNs;
    } else if (rival.aliveNs() - rivalFoundNs > 0) {
      throw new ReaderNameTakenException(split.name(), rival);
    }
  }

  /**
   * Whether this ring will not come again, because its tap was started again with fewer rings or
   * another one made the folder anew: it is gone, with all that nobody had read of it.
   */
  boolean isGivenUp() {
    return givenUp;
  }

  /** Whether that has been so for so long. */
  boolean isGivenUpFor(long timeNs, long nowNs) {
    return givenUp && nowNs - givenUpNs >= timeNs;
  }

  private void lookWhetherGivenUp(long nowNs) {
    boolean gone = catalog.discover().stream().anyMatch(this::tellsThatItIsGone);
    // Who had it open has read it to its end.
    if (gone && !givenUp && !wasOpen && start instanceof RingStart.Resume) {
      metrics.missedUnknown.inc();
      LOG.warn(
          "{}: the tap was started again with fewer rings; nobody knows how many packets of this one"
              + " were missed",
          split.name());
    }
    if (gone && !givenUp) {
      givenUpNs = nowNs;
    }
    givenUp = gone;
  }

  /** Its tap came again with fewer rings, or another one in a folder made anew. */
  private boolean tellsThatItIsGone(RingSighting seen) {
    return seen.hasGivenUp(split.stream())
        || (wasOpen && seen.name().equals(split.name()) && seen.stream() != split.stream());
  }

  /** Whether the tap was started again and fills another file now. */
  boolean isReplaced(OpenRing ring, long nowNs) {
    return watching.isOver(nowNs) && ring.isReplaced();
  }

  /** What follows a replaced ring that was read to its end. */
  Optional<OpenRing> openSuccessor(OpenRing ring, long nowNs) {
    start = new RingStart.Resume(ring.progress());
    Optional<OpenRing> opened = open(nowNs);
    if (opened.isPresent()
        && opened.get().identity().incarnation() == ring.identity().incarnation()) {
      throw new IllegalStateException(
          split.name() + ": a replaced incarnation came back; stop the job and both taps");
    }
    return opened;
  }

  private void sayWhatWasMissed(OpenRing opened) {
    if (!(start instanceof RingStart.Resume resume)
        || resume.progress().incarnation() == opened.identity().incarnation()) {
      return;
    }
    metrics.incarnationChanges.inc();
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
          opened.progress().books().lost().inRing() - resume.progress().books().lost().inRing());
    }
  }

  private void warnIfKeyGroupsDiffer(OpenRing opened) {
    if (!job.hasSameKeyGroups(opened.identity())) {
      LOG.warn(
          "{}: the tap spreads packets over {} key groups, this job has {}: a ring does not hold the"
              + " keys of its subtask. Start tap and job with the same maximum parallelism"
              + " (pipeline.max-parallelism)",
          split.name(),
          opened.identity().maxParallelism(),
          job.subtask().orElseThrow().maxParallelism());
    }
  }
}
