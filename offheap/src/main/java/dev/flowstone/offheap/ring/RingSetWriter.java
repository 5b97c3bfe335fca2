// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.flowstone.model.abi.RawPacketFlag;
import dev.flowstone.model.abi.RawPacketLayout;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.model.abi.RingTargetLayout;
import dev.flowstone.model.abi.ScatterStop;
import dev.flowstone.offheap.ParserLibrary;
import dev.flowstone.offheap.Posix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * The one way into ring files: makes the rings of a tap and spreads parsed packets over them by the
 * key-group table. One thread at a time; whoever opened it closes it. Close without {@link #end}
 * leaves the rings open, as a crash would.
 */
public final class RingSetWriter implements AutoCloseable {
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final long WAIT_NS = 50_000;

  private final Arena arena = Arena.ofShared();
  private final ParserLibrary library = ParserLibrary.instance();
  private final MemorySegment targets;
  private final MemorySegment stopRing;
  private final MemorySegment stopReason;
  private final MemorySegment keyGroupTable;

  /** A table of one key group. */
  private final MemorySegment oneRing;

  private final RingSpecification specification;
  private final WhenFull whenFull;
  private final RingFolder folder;
  private final List<RingWriter> rings = new ArrayList<>();
  private long offeredPackets;

  /** Until when a full ring is waited for, if at all; {@link System#nanoTime}. */
  private volatile OptionalLong waitEndNs = OptionalLong.empty();

  /** Makes the ring files, replacing those of an earlier tap in the same folder. */
  public static RingSetWriter create(
      RingDirectory directory, RingSpecification specification, WhenFull whenFull) {
    return create(directory, specification, whenFull, Optional.empty());
  }

  /**
   * The same in room that was taken before.
   *
   * @param prepared used where it is that of such rings
   */
  public static RingSetWriter create(
      RingDirectory directory,
      RingSpecification specification,
      WhenFull whenFull,
      Optional<RingRoom> prepared) {
    RingFolder folder = RingFolder.take(directory, specification.group());
    try {
      RingRoom room =
          prepared
              .filter(each -> each.fits(directory, specification))
              .orElseGet(() -> RingRoom.take(directory, specification));
      List<Path> files = new RingFileMaker(folder, specification, room).makeAll();
      return new RingSetWriter(folder, specification, whenFull, files);
    } catch (RuntimeException e) {
      folder.close();
      throw e;
    }
  }

  private RingSetWriter(
      RingFolder folder, RingSpecification specification, WhenFull whenFull, List<Path> files) {
    this.folder = folder;
    this.specification = specification;
    this.whenFull = whenFull;
    targets =
        arena.allocate(
            (long) specification.ringCount() * RingTargetLayout.SIZE_BYTES,
            RingTargetLayout.SIZE_BYTES);
    stopRing = arena.allocate(Integer.BYTES, Integer.BYTES);
    stopReason = arena.allocate(Integer.BYTES, Integer.BYTES);
    keyGroupTable = arena.allocate(RingFileHeaderLayout.MAX_KEY_GROUPS, Long.BYTES);
    keyGroupTable.copyFrom(MemorySegment.ofArray(specification.keyGroupTable()));
    oneRing = arena.allocate(1);
    try {
      for (int ring = 0; ring < files.size(); ring++) {
        MemorySegment target =
            targets.asSlice(ring * RingTargetLayout.SIZE_BYTES, RingTargetLayout.SIZE_BYTES);
        rings.add(new RingWriter(RingFile.open(files.get(ring)), new RingTarget(target)));
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Writes a batch of parsed packets, drops those that find no room, and publishes the rest. */
  public void write(MemorySegment rawPackets, MemorySegment records, int count) {
    write(
        rawPackets, records, count, keyGroupTable, specification.maxParallelism(), 0, ringCount());
  }

  /**
   * The same of packets that somebody has sorted by ring before: they go where he says, and only
   * that ring is touched.
   */
  public void writeTo(int ring, MemorySegment rawPackets, MemorySegment records, int count) {
    oneRing.set(JAVA_BYTE, 0, (byte) ring);
    write(rawPackets, records, count, oneRing, 1, ring, ring + 1);
  }

  /**
   * @param table the ring of each of {@code keyGroups} key groups
   * @param from the first ring that the table names; all others are before {@code end}
   */
  private void write(
      MemorySegment rawPackets,
      MemorySegment records,
      int count,
      MemorySegment table,
      int keyGroups,
      int from,
      int end) {
    offeredPackets += count;
    begin(count, from, end);
    int index = 0;
    int firstUnmet = 0;
    while (index < count) {
      index =
          library.scatter(
              rawPackets,
              records,
              index,
              firstUnmet,
              count,
              table,
              keyGroups,
              targets,
              stopRing,
              stopReason);
      firstUnmet = index + 1;
      if (index < count && !makeWay(rawPackets, index)) {
        if (mayWait()) {
          publish(from, end);
          LockSupport.parkNanos(WAIT_NS);
          begin(count - index, from, end);
        } else {
          drop(rawPackets, index);
          index++;
        }
      }
    }
    publish(from, end);
  }

  /** Announces how far the rest of a batch may reach: publishing took the announcement back. */
  private void begin(int packets, int from, int end) {
    for (int i = from; i < end; i++) {
      rings.get(i).beginBatch(packets);
    }
  }

  private void publish(int from, int end) {
    for (int i = from; i < end; i++) {
      rings.get(i).publish();
    }
  }

  /** Serves the ring that the packet at an index could not enter; false: it has no room. */
  private boolean makeWay(MemorySegment rawPackets, int index) {
    long timeNs = timeNs(rawPackets, index);
    long flags = index * RawPacketLayout.SIZE_BYTES + RawPacketLayout.FLAGS_OFFSET;
    boolean trusted = (rawPackets.get(SHORT, flags) & RawPacketFlag.UNTIMED) == 0;
    return stopReason.get(RingHeader.INT, 0) == ScatterStop.NEEDS_TIME
        ? stoppedRing().writeTime(timeNs, trusted)
        : stoppedRing().makeRoom(timeNs, trusted);
  }

  private void drop(MemorySegment rawPackets, int index) {
    stoppedRing().drop(timeNs(rawPackets, index));
  }

  /** That of the packet at which the latest scatter stopped. */
  private RingWriter stoppedRing() {
    return rings.get(stopRing.get(RingHeader.INT, 0));
  }

  private static long timeNs(MemorySegment rawPackets, int index) {
    return rawPackets.get(
        RingHeader.LONG, index * RawPacketLayout.SIZE_BYTES + RawPacketLayout.TIME_NS_OFFSET);
  }

  private boolean mayWait() {
    OptionalLong endNs = waitEndNs;
    return whenFull == WhenFull.WAIT
        && (endNs.isEmpty() || System.nanoTime() - endNs.getAsLong() < 0)
        && !Thread.currentThread().isInterrupted();
  }

  /**
   * From any thread: full rings are waited for no longer than that. Then packets are dropped and
   * counted even where waiting was asked for, so that a tap that ends comes to its end.
   */
  public void limitWaiting(Duration longest) {
    waitEndNs = OptionalLong.of(System.nanoTime() + longest.toNanos());
  }

  /** Tells the time to rings that have not heard it for a second. */
  public void heartbeat(long nowNs, boolean trusted) {
    for (int i = 0; i < rings.size(); i++) {
      heartbeat(i, nowNs, trusted);
    }
  }

  /** The same for one ring: the others' packets may be behind that time. */
  public void heartbeat(int ring, long nowNs, boolean trusted) {
    rings.get(ring).heartbeat(nowNs, trusted);
  }

  /**
   * Packets that the source knows it lost before they could be offered; ring 0 tells of them. Its
   * header does at once, so that they are not forgotten should this process end now.
   *
   * @param timeNs when that became known, by the packets' clock; 0 where no packet came before
   */
  public void lostBeforeTap(long packets, long timeNs) {
    rings.getFirst().loseBeforeTap(packets, timeNs);
    rings.getFirst().publish();
  }

  /** Packets that another clock timed than the one that the rings' headers name. */
  public void countOtherClock(long packets) {
    rings.getFirst().countOtherClock(packets);
  }

  /**
   * How long readers may be silent before their space is taken, however long they ask for, and who
   * is told of it, in the thread that writes.
   */
  public void limitSilence(Duration longest, Consumer<AbandonedLane> listener) {
    limitSilence(longest, listener, System::nanoTime);
  }

  /** The same by another clock than {@link System#nanoTime}. */
  void limitSilence(Duration longest, Consumer<AbandonedLane> listener, LongSupplier clock) {
    for (int i = 0; i < rings.size(); i++) {
      int ring = i;
      rings
          .get(ring)
          .abandonedLanes()
          .limit(longest, reader -> listener.accept(new AbandonedLane(ring, reader)), clock);
    }
  }

  /** A reader whose space was taken because it gave no sign of life. */
  public record AbandonedLane(int ring, RingLanes.Occupant reader) {}

  /** Says that nothing more will come. */
  public void end() {
    OptionalLong latestNs =
        rings.stream().map(RingWriter::trustedTimeNs).flatMapToLong(OptionalLong::stream).max();
    rings.forEach(ring -> ring.end(latestNs));
  }

  /**
   * A thread's way into one ring alone, in place of what this class offers for it: threads may fill
   * a ring each at the same time, until all are done and one of them calls {@link #end}.
   */
  public RingAppender appender(int ring) {
    return new RingAppender(rings.get(ring));
  }

  /** Packets handed to {@link #write}, counted at the entrance. */
  public long offeredPackets() {
    return offeredPackets;
  }

  public int ringCount() {
    return rings.size();
  }

  public RingFile ringFile(int ring) {
    return rings.get(ring).file();
  }

  /** Whether every ring has a reader that holds space. */
  public boolean allHaveGatingReader() {
    return IntStream.range(0, ringCount()).allMatch(i -> ringFile(i).lanes().hasGatingReader());
  }

  /** Fills the page tables of all rings, so that the first lap runs at full speed. */
  public void populate() {
    rings.forEach(ring -> Posix.populate(ring.file().slots()));
  }

  @Override
  public void close() {
    rings.forEach(RingWriter::close);
    arena.close();
    folder.close();
  }
}
