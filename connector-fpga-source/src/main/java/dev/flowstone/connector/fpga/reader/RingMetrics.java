// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.reader;

import dev.flowstone.connector.fpga.rings.OpenRing;
import dev.flowstone.connector.fpga.split.RingSplit;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingProgress;
import dev.flowstone.stages.StageMetrics;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.SourceReaderMetricGroup;

/**
 * Counters and gauges of one ring, below {@code taprings.<folder name>.ring.<number>}; a ring that
 * came in the place of another, when its folder was removed and made anew, has its stream after the
 * number. The task's thread writes, any thread reads; nothing here touches ring memory, which may
 * be unmapped.
 */
final class RingMetrics {
  static final String PACKETS_CONSUMED = "packetsConsumed";
  static final String PACKETS_LOST = "packetsLost";
  static final String PACKETS_LOST_BEFORE_TAP = "packetsLostBeforeTap";
  static final String PACKETS_LOST_IN_ALL = "packetsLostInAll";
  static final String PACKETS_UNTOLD = "packetsUntold";
  static final String PACKETS_BEFORE_START = "packetsBeforeStart";
  static final String PACKETS_UNEXPLAINED = "packetsUnexplained";
  static final String BLOCKS_EMITTED = "blocksEmitted";
  static final String BACKLOG_SLOTS = "backlogSlots";
  static final String RING_OCCUPANCY = "ringOccupancy";
  static final String INCARNATION_CHANGES = "incarnationChanges";
  static final String MISSED_UNKNOWN = "missedUnknown";
  static final String WAITING_FOR_RING = "waitingForRing";
  static final String KEY_GROUP_MISMATCHES = "keyGroupMismatches";
  static final String UNREAD_MS = "unreadMs";

  private final Counter recordsIn;
  private final Counter bytesIn;
  private final Counter packetsConsumed;
  private final Counter packetsLost;
  private final Counter packetsLostBeforeTap;
  private final Counter blocksEmitted;
  final Counter incarnationChanges;
  final Counter missedUnknown;
  final Counter keyGroupMismatches;

  private volatile long packetsLostInAll;
  private volatile long packetsUntold;
  private volatile long packetsBeforeStart;
  private volatile long packetsUnexplained;
  private volatile long backlogSlots;
  private volatile double occupancy;
  private volatile boolean waiting;

  /** When the source last read something, or found nothing to read. */
  private volatile long progressNs = System.nanoTime();

  private long knownPosition;

  /**
   * @param directories all that the source reads: rings of two folders that end in the same name
   *     are told apart by the whole path
   * @param isNamesake whether this reader has another ring of that name
   */
  RingMetrics(
      SourceReaderMetricGroup reader,
      RingSplit split,
      List<String> directories,
      boolean isNamesake) {
    recordsIn = reader.getIOMetricGroup().getNumRecordsInCounter();
    bytesIn = reader.getIOMetricGroup().getNumBytesInCounter();
    MetricGroup group =
        StageMetrics.of(reader)
            .addGroup("taprings", label(split.name().directory(), directories))
            .addGroup("ring", number(split, isNamesake));
    packetsConsumed = group.counter(PACKETS_CONSUMED, new SimpleCounter());
    packetsLost = group.counter(PACKETS_LOST, new SimpleCounter());
    packetsLostBeforeTap = group.counter(PACKETS_LOST_BEFORE_TAP, new SimpleCounter());
    blocksEmitted = group.counter(BLOCKS_EMITTED, new SimpleCounter());
    incarnationChanges = group.counter(INCARNATION_CHANGES, new SimpleCounter());
    missedUnknown = group.counter(MISSED_UNKNOWN, new SimpleCounter());
    keyGroupMismatches = group.counter(KEY_GROUP_MISMATCHES, new SimpleCounter());
    group.gauge(PACKETS_LOST_IN_ALL, (Gauge<Long>) () -> packetsLostInAll);
    group.gauge(PACKETS_UNTOLD, (Gauge<Long>) () -> packetsUntold);
    group.gauge(PACKETS_BEFORE_START, (Gauge<Long>) () -> packetsBeforeStart);
    group.gauge(PACKETS_UNEXPLAINED, (Gauge<Long>) () -> packetsUnexplained);
    group.gauge(BACKLOG_SLOTS, (Gauge<Long>) () -> backlogSlots);
    group.gauge(RING_OCCUPANCY, (Gauge<Double>) () -> occupancy);
    group.gauge(WAITING_FOR_RING, (Gauge<Integer>) () -> waiting ? 1 : 0);
    group.gauge(UNREAD_MS, (Gauge<Long>) this::unreadMs);
  }

  private static String number(RingSplit split, boolean isNamesake) {
    return isNamesake
        ? split.ring() + "-" + StreamNumber.text(split.stream())
        : String.valueOf(split.ring());
  }

  static String label(String directory, List<String> directories) {
    String folder = folder(directory);
    long namesakes = directories.stream().filter(other -> folder(other).equals(folder)).count();
    return namesakes > 1 ? directory : folder;
  }

  private static String folder(String directory) {
    return Optional.ofNullable(Path.of(directory).getFileName()).map(Path::toString).orElse("");
  }

  /**
   * Looks at an open ring.
   *
   * @param releasedPosition slots from there on are still held
   * @param isEnded all was read, and what no slot told of is counted as lost
   */
  void observe(OpenRing ring, long releasedPosition, boolean isEnded) {
    RingProgress progress = ring.progress();
    long backlog = ring.backlogSlots();
    long held = backlog + progress.position() - releasedPosition;
    backlogSlots = backlog;
    if (backlog == 0 || progress.position() != knownPosition) {
      knownPosition = progress.position();
      progressNs = System.nanoTime();
    }
    occupancy = (double) held / ring.identity().slotCount();
    packetsLostInAll = progress.books().lost().inRing();
    packetsUntold = isEnded ? 0 : ring.untoldPackets();
    // An incarnation that is followed has none.
    packetsBeforeStart = Math.max(packetsBeforeStart, ring.packetsBeforeStart());
    packetsUnexplained = ring.unexplainedPackets();
  }

  private long unreadMs() {
    return backlogSlots == 0 ? 0 : TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - progressNs);
  }

  /** Whether the ring is not there, or no more. */
  void setWaiting(boolean waiting) {
    this.waiting = waiting;
  }

  /** A run was found in the ring. */
  void read(int packets) {
    bytesIn.inc((long) packets * RingFile.SLOT_BYTES);
  }

  /** A run went out, or the news of a loss. */
  void emitted(int elements, int packets, PacketLoss loss) {
    recordsIn.inc(elements);
    blocksEmitted.inc(elements);
    packetsConsumed.inc(packets);
    packetsLost.inc(loss.inRing());
    packetsLostBeforeTap.inc(loss.beforeTap());
  }

  long backlogSlots() {
    return backlogSlots;
  }
}
