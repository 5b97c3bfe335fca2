// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.connector.fpga.rings.OpenRing;
import dev.flowstone.connector.fpga.rings.RingRun;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.offheap.ring.GatingReader;
import dev.flowstone.offheap.ring.ObservingReader;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingIdentity;
import dev.flowstone.offheap.ring.RingProgress;
import dev.flowstone.offheap.ring.RingReader;
import dev.flowstone.offheap.ring.RingReader.Poll;
import dev.flowstone.offheap.ring.RingTime;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Function;

/**
 * A ring file that ended, read lap after lap. Each lap's positions follow those of the lap before
 * and its times are later by one lap, so that nothing but the repeated packets tells the laps
 * apart. At the end of a lap it waits for the rings that are read with it. One thread.
 */
final class LappingRing implements OpenRing {
  private final RingFile file;
  private final Function<RingFile, RingReader> readers;
  private final Laps laps;
  private final long slotCount;

  private RingReader reader;
  private MemorySegment copy = MemorySegment.NULL;
  private long firstTimeNs;
  private long latestTimeNs;
  private long lap;
  private long lapPosition;
  private long lapStartNs;
  private boolean isAtEnd;

  /**
   * @param readers one for each lap; of one that observes each run is copied, as its source does
   */
  LappingRing(RingFile file, Function<RingFile, RingReader> readers, Laps laps) {
    this.file = file;
    this.readers = readers;
    this.laps = laps;
    slotCount = file.identity().slotCount();
    firstTimeNs = Long.MAX_VALUE;
    latestTimeNs = Long.MIN_VALUE;
    lap = laps.lap();
    lapStartNs = laps.startNs();
    if (file.position() == 0 || file.position() > slotCount) {
      throw new IllegalArgumentException(
          file.path() + ": lapping needs a ring whose first lap holds all, not " + file.position());
    }
    reader = readers.apply(file);
    laps.join();
  }

  @Override
  public Poll poll(int mostPackets) {
    if (isAtEnd) {
      return laps.lap() == lap ? Poll.NOTHING : nextLap(mostPackets);
    }
    Poll found = reader.poll(mostPackets);
    return switch (found) {
      case PACKETS -> {
        keepTimes(found);
        yield reader instanceof ObservingReader observing ? copied(observing) : found;
      }
      case CLOCK -> {
        keepTimes(found);
        yield found;
      }
      case NOTHING, END -> {
        isAtEnd = true;
        laps.ended(firstTimeNs, latestTimeNs);
        yield poll(mostPackets);
      }
    };
  }

  /** The last packets are later than the last time that the ring tells. */
  private void keepTimes(Poll found) {
    long baseNs = reader.time().baseNs();
    firstTimeNs = Math.min(firstTimeNs, baseNs);
    latestTimeNs = Math.max(latestTimeNs, baseNs);
    if (found == Poll.PACKETS) {
      long last = file.slotOffset(reader.runPosition() + reader.runCount() - 1);
      int timeLow = PacketRecord.timeLow(file.slots(), last);
      latestTimeNs = Math.max(latestTimeNs, PacketRecord.timeNs(timeLow, baseNs));
    }
  }

  private Poll copied(ObservingReader observing) {
    long bytes = (long) reader.runCount() * RingFile.SLOT_BYTES;
    if (copy.byteSize() < bytes) {
      copy = Arena.ofAuto().allocate(bytes, RingFile.SLOT_BYTES);
    }
    MemorySegment.copy(file.slots(), file.slotOffset(reader.runPosition()), copy, 0, bytes);
    return observing.isRunIntact() ? Poll.PACKETS : Poll.NOTHING;
  }

  private Poll nextLap(int mostPackets) {
    isAtEnd = false;
    lap = laps.lap();
    lapStartNs = laps.startNs();
    // A whole number of rings: a position's slot stays what it is.
    lapPosition += slotCount;
    reader.close();
    reader = readers.apply(file);
    return reader.poll(mostPackets);
  }

  @Override
  public RingRun run() {
    boolean isCopied = reader instanceof ObservingReader;
    return new RingRun(
        lapPosition + reader.runPosition(),
        reader.runCount(),
        isCopied ? copy : file.slots(),
        isCopied ? 0 : file.slotOffset(reader.runPosition()),
        lapStartNs + reader.time().baseNs(),
        reader.time().isTrusted(),
        _ -> true);
  }

  @Override
  public PacketLoss takeUnreportedLoss() {
    return reader.takeUnreportedLoss();
  }

  @Override
  public long packetsBeforeStart() {
    return reader.packetsBeforeStart();
  }

  @Override
  public long unexplainedPackets() {
    return reader.unexplainedPackets();
  }

  @Override
  public boolean isHeld() {
    return reader.holdsLane();
  }

  @Override
  public boolean isMissedUnknown() {
    return reader.isMissedUnknown();
  }

  @Override
  public long position() {
    return lapPosition + reader.position();
  }

  @Override
  public RingTime time() {
    RingTime time = reader.time();
    return new RingTime(lapStartNs + time.baseNs(), time.isKnown(), time.isTrusted());
  }

  @Override
  public RingProgress progress() {
    return new RingProgress(
        identity().incarnation(), position(), time(), reader.progress().books());
  }

  /** What belongs to a lap before this one has nobody waiting for it. */
  @Override
  public void release(long position) {
    if (position > lapPosition) {
      switch (reader) {
        case GatingReader gating -> gating.release(position - lapPosition);
        case ObservingReader observing -> observing.tell(position - lapPosition);
      }
    }
  }

  /** There is always a whole lap more. */
  @Override
  public long backlogSlots() {
    return reader.backlogSlots() + file.position();
  }

  @Override
  public long untoldPackets() {
    return file.counters().untoldPackets();
  }

  @Override
  public boolean isReplaced() {
    return false;
  }

  @Override
  public RingIdentity identity() {
    return file.identity();
  }

  @Override
  public void showLife() {
    reader.showLife();
  }

  @Override
  public void leave() {
    reader.leave();
  }

  @Override
  public void close() {
    reader.close();
    file.close();
  }
}
