// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.connector.fpga.rings.OpenRing;
import dev.flowstone.connector.fpga.rings.RingRun;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.offheap.ring.GatingReader;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingIdentity;
import dev.flowstone.offheap.ring.RingProgress;
import dev.flowstone.offheap.ring.RingReader.Poll;
import dev.flowstone.offheap.ring.RingStart;
import dev.flowstone.offheap.ring.RingTime;

/**
 * A ring file that ended, read lap after lap. Each lap's positions follow those of the lap before
 * and its times are later by one lap, so that nothing but the repeated packets tells the laps
 * apart. At the end of a lap it waits for the rings that are read with it. One thread.
 */
final class LappingRing implements OpenRing {
  private final RingFile file;
  private final String readerName;
  private final Laps laps;
  private final long slotCount;

  private GatingReader reader;
  private long firstTimeNs;
  private long latestTimeNs;
  private long lap;
  private long lapPosition;
  private long lapStartNs;
  private boolean isAtEnd;

  LappingRing(RingFile file, String readerName, Laps laps) {
    this.file = file;
    this.readerName = readerName;
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
    reader = new GatingReader(file, readerName, RingStart.OLDEST);
    laps.join();
  }

  @Override
  public Poll poll(int mostPackets) {
    if (isAtEnd) {
      return laps.lap() == lap ? Poll.NOTHING : nextLap(mostPackets);
    }
    Poll found = reader.poll(mostPackets);
    return switch (found) {
      case PACKETS, CLOCK -> {
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

  private Poll nextLap(int mostPackets) {
    isAtEnd = false;
    lap = laps.lap();
    lapStartNs = laps.startNs();
    // A whole number of rings: a position's slot stays what it is.
    lapPosition += slotCount;
    reader.close();
    reader = new GatingReader(file, readerName, RingStart.OLDEST);
    return reader.poll(mostPackets);
  }

  @Override
  public RingRun run() {
    return new RingRun(
        lapPosition + reader.runPosition(),
        reader.runCount(),
        file.slots(),
        file.slotOffset(reader.runPosition()),
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
      reader.release(position - lapPosition);
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
