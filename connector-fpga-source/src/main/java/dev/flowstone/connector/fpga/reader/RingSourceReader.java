// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.FpgaSourceOptions;
import dev.flowstone.connector.fpga.ReleaseMode;
import dev.flowstone.connector.fpga.enumerator.AllReadersDoneEvent;
import dev.flowstone.connector.fpga.enumerator.LookAgainEvent;
import dev.flowstone.connector.fpga.enumerator.ReaderDoneEvent;
import dev.flowstone.connector.fpga.enumerator.RingForgottenEvent;
import dev.flowstone.connector.fpga.enumerator.RingsSeenEvent;
import dev.flowstone.connector.fpga.reader.RingFollower.Step;
import dev.flowstone.connector.fpga.rings.FileRingCatalog;
import dev.flowstone.connector.fpga.rings.FileRingCatalog.Unusable;
import dev.flowstone.connector.fpga.rings.HostName;
import dev.flowstone.connector.fpga.rings.LaneUse;
import dev.flowstone.connector.fpga.rings.RingCatalog;
import dev.flowstone.connector.fpga.rings.RingSighting;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.model.abi.RingContent;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingFileException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.Gauge;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls its rings in the task's own thread, in turn, and hands out runs by reference: no queue, no
 * fetcher thread, no copy. While all rings are empty it sleeps, see {@link IdleWait}.
 */
public final class RingSourceReader<T> implements SourceReader<T, RingSplit> {
  private static final Logger LOG = LoggerFactory.getLogger(RingSourceReader.class);

  /** No split's id: these are numbers. */
  private static final String RINGS_TO_COME = "rings to come";

  private static final long OBSERVE_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(100);

  private final SourceReaderContext context;
  private final RingCatalog catalog;
  private final FpgaSourceOptions options;
  private final ReleaseMode releaseMode;
  private final JobFacts job;
  private final RunEmitter.Factory<T> emitters;
  private final List<RingFollower<T>> followers = new ArrayList<>();
  private final Set<String> paused = new HashSet<>();
  private final ReaderClock clock;
  private final IdleWait idleWait;
  private final SignsOfLife signsOfLife;
  private final SplitClock withoutSplits;

  private int turn;
  private boolean noMoreSplits;
  private boolean toldDone;
  private boolean allReadersDone;
  private boolean holdsTime;
  private boolean reported;
  private long look;
  private List<RingSighting> reportedSightings = List.of();
  private long observedNs;
  private long discoveredNs;
  private volatile long pendingBlocks;
  private volatile long pendingSlots;

  /** A reader of packet rings in this host's ring files. */
  public static RingSourceReader<PacketBlock> ofPackets(
      SourceReaderContext context, FpgaSourceOptions options) {
    return ofPackets(
        context,
        options,
        new FileRingCatalog(
            options.ringDirectories(),
            RingContent.PACKET_RECORDS,
            new LaneUse(
                JobFacts.of(context).readerName(options.readerName()),
                options.laneExpiry(),
                options.releaseMode() != ReleaseMode.OBSERVING),
            HostName.local(),
            options.bounded() ? Unusable.REFUSED : Unusable.LEFT_OUT));
  }

  /** A reader of packet rings wherever the catalog finds them. */
  public static RingSourceReader<PacketBlock> ofPackets(
      SourceReaderContext context, FpgaSourceOptions options, RingCatalog catalog) {
    return new RingSourceReader<>(
        context, catalog, options, JobFacts.of(context), PacketBlockEmitter::new);
  }

  RingSourceReader(
      SourceReaderContext context,
      RingCatalog catalog,
      FpgaSourceOptions options,
      JobFacts job,
      RunEmitter.Factory<T> emitters) {
    this(context, catalog, options, job, emitters, ReaderClock.HOST);
  }

  RingSourceReader(
      SourceReaderContext context,
      RingCatalog catalog,
      FpgaSourceOptions options,
      JobFacts job,
      RunEmitter.Factory<T> emitters,
      ReaderClock clock) {
    this.clock = clock;
    this.idleWait = new IdleWait(clock.timer());
    this.signsOfLife = new SignsOfLife(clock.heartbeatNs());
    this.context = context;
    this.catalog = catalog;
    this.options = options;
    this.job = job;
    this.emitters = emitters;
    this.releaseMode =
        job.checkpointing() || options.releaseMode() != ReleaseMode.ON_CHECKPOINT
            ? options.releaseMode()
            : ReleaseMode.ON_READ;
    this.withoutSplits = SplitClock.of(options);
    registerMetrics();
  }

  private void registerMetrics() {
    int onRead = releaseMode == ReleaseMode.ON_CHECKPOINT ? 0 : 1;
    context.metricGroup().setPendingRecordsGauge(() -> pendingBlocks);
    context.metricGroup().setPendingBytesGauge(() -> pendingSlots * RingFile.SLOT_BYTES);
    context.metricGroup().gauge("ringsAssigned", (Gauge<Integer>) followers::size);
    context.metricGroup().gauge("releaseOnRead", (Gauge<Integer>) () -> onRead);
  }

  @Override
  public void start() {
    if (releaseMode != options.releaseMode()) {
      LOG.warn(
          "Checkpointing is off, so ring space is given back as soon as it is read: a restart loses"
              + " what was in flight. Set execution.checkpointing.interval, or choose"
              + " release(ReleaseMode.ON_READ) to say that this is meant");
    }
    signsOfLife.start();
    discover(clock.nowNs().getAsLong());
  }

  /** Tells the enumerator which rings are here, when that changed or it asked. */
  private void discover(long nowNs) {
    discoveredNs = nowNs;
    List<RingSighting> sightings = catalog.discover();
    if (!reported || !sightings.equals(reportedSightings)) {
      reported = true;
      reportedSightings = List.copyOf(sightings);
      context.sendSourceEventToCoordinator(new RingsSeenEvent(catalog.host(), sightings, look));
    }
  }

  @Override
  public void handleSourceEvents(SourceEvent event) {
    switch (event) {
      case LookAgainEvent again -> {
        look = again.look();
        reported = false;
        discover(clock.nowNs().getAsLong());
      }
      case AllReadersDoneEvent _ -> {
        allReadersDone = true;
        idleWait.wakeUp();
      }
      default -> throw new IllegalArgumentException("unexpected event of the enumerator: " + event);
    }
  }

  @Override
  public InputStatus pollNext(ReaderOutput<T> output) {
    long nowNs = clock.nowNs().getAsLong();
    if (nowNs - observedNs >= OBSERVE_INTERVAL_NS) {
      lookAround(nowNs);
    }
    holdTimeUntilAllRingsAreHere(output);
    int endedCount = 0;
    for (int i = 0; i < followers.size(); i++) {
      RingFollower<T> follower = followers.get(turn);
      turn = turn + 1 < followers.size() ? turn + 1 : 0;
      if (paused.isEmpty() || !paused.contains(follower.splitId())) {
        switch (step(follower, output, nowNs)) {
          case PROGRESS -> {
            idleWait.busy();
            return InputStatus.MORE_AVAILABLE;
          }
          case ENDED -> endedCount++;
          case FORGOTTEN -> {
            forget(follower, output);
            return InputStatus.MORE_AVAILABLE;
          }
          case NOTHING -> {}
        }
      }
    }
    if (noMoreSplits && endedCount == followers.size()) {
      return done(output);
    }
    if (followers.isEmpty()) {
      withoutSplits.nothing(output, nowNs);
    }
    idleWait.idle();
    return InputStatus.NOTHING_AVAILABLE;
  }

  private void forget(RingFollower<T> follower, ReaderOutput<T> output) {
    followers.remove(follower);
    paused.remove(follower.splitId());
    turn = 0;
    output.releaseOutputForSplit(follower.splitId());
    context.sendSourceEventToCoordinator(new RingForgottenEvent(follower.stream()));
  }

  /** Nothing more will come of this reader; it ends when all others are done, too. */
  private InputStatus done(ReaderOutput<T> output) {
    withoutSplits.finished(output);
    if (!toldDone) {
      toldDone = true;
      context.sendSourceEventToCoordinator(new ReaderDoneEvent());
    }
    if (allReadersDone) {
      return InputStatus.END_OF_INPUT;
    }
    idleWait.idle();
    return InputStatus.NOTHING_AVAILABLE;
  }

  /**
   * In a bounded run time waits for the rings that are still to come: what they hold would be late
   * else, and Flink drops late packets without a word.
   */
  private void holdTimeUntilAllRingsAreHere(ReaderOutput<T> output) {
    if (options.bounded() && !noMoreSplits && !holdsTime) {
      output.createOutputForSplit(RINGS_TO_COME);
      holdsTime = true;
    } else if (noMoreSplits && holdsTime) {
      followers.forEach(follower -> follower.join(output));
      output.releaseOutputForSplit(RINGS_TO_COME);
      holdsTime = false;
    }
  }

  /**
   * A mapped file that was cut short shows as an InternalError, for which Flink would halt the
   * whole process; operators in the source's chain read the same memory.
   */
  private Step step(RingFollower<T> follower, ReaderOutput<T> output, long nowNs) {
    try {
      return follower.step(output, nowNs);
    } catch (InternalError e) {
      throw memoryIsGone(follower, e);
    }
  }

  private static RingFileException memoryIsGone(RingFollower<?> follower, InternalError e) {
    return new RingFileException(
        follower.name()
            + ": the ring's memory is gone: its file was cut short or its file system is full. Start"
            + " its tap again, it makes the file anew",
        e);
  }

  private void lookAround(long nowNs) {
    observedNs = nowNs;
    long blocks = 0;
    long slots = 0;
    for (RingFollower<T> follower : followers) {
      guarded(follower, follower::observe);
      slots += follower.backlogSlots();
      blocks += Math.ceilDiv(follower.backlogSlots(), options.blockRecords());
    }
    pendingBlocks = blocks;
    pendingSlots = slots;
    if (nowNs - discoveredNs >= options.discoveryInterval().toNanos()) {
      discover(nowNs);
    }
  }

  /** As in {@link #step}, for what is done seldom. */
  private static void guarded(RingFollower<?> follower, Runnable action) {
    try {
      action.run();
    } catch (InternalError e) {
      throw memoryIsGone(follower, e);
    }
  }

  @Override
  public CompletableFuture<Void> isAvailable() {
    return idleWait.future();
  }

  @Override
  public void addSplits(List<RingSplit> splits) {
    for (RingSplit split : splits) {
      followers.add(
          new RingFollower<>(
              split,
              catalog,
              options,
              releaseMode,
              job,
              emitters.forStream(split.stream()),
              signsOfLife,
              metricsOf(split)));
    }
    idleWait.wakeUp();
  }

  /** Flink leaves out metrics whose names are taken. */
  private RingMetrics metricsOf(RingSplit split) {
    boolean isNamesake =
        followers.stream().anyMatch(follower -> follower.name().equals(split.name()));
    return new RingMetrics(context.metricGroup(), split, options.ringDirectories(), isNamesake);
  }

  @Override
  public void notifyNoMoreSplits() {
    noMoreSplits = true;
    idleWait.wakeUp();
  }

  @Override
  public void pauseOrResumeSplits(
      Collection<String> splitsToPause, Collection<String> splitsToResume) {
    paused.addAll(splitsToPause);
    paused.removeAll(splitsToResume);
    idleWait.wakeUp();
  }

  @Override
  public List<RingSplit> snapshotState(long checkpointId) {
    long nowNs = clock.nowNs().getAsLong();
    List<RingSplit> splits = new ArrayList<>();
    for (RingFollower<T> follower : followers) {
      guarded(follower, () -> follower.snapshot(checkpointId, nowNs).ifPresent(splits::add));
    }
    return splits;
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) {
    for (RingFollower<T> follower : followers) {
      guarded(follower, () -> follower.checkpointCompleted(checkpointId));
    }
  }

  @Override
  public void notifyCheckpointAborted(long checkpointId) {
    followers.forEach(follower -> follower.checkpointAborted(checkpointId));
  }

  @Override
  public void close() {
    // First, so that nobody keeps alive the lanes of a job that is gone.
    signsOfLife.close();
    RuntimeException failure = null;
    for (RingFollower<T> follower : followers) {
      try {
        follower.close();
      } catch (RuntimeException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    followers.clear();
    if (failure != null) {
      throw failure;
    }
  }
}
