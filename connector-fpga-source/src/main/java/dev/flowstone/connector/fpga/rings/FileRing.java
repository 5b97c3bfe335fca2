// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.rings;

import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingProgress;
import dev.flowstone.offheap.ring.RingReader;
import java.lang.foreign.MemorySegment;

/** A ring in a ring file. */
final class FileRing implements OpenRing {
  private final RingFile file;
  private final RingReader reader;

  FileRing(RingFile file, RingReader reader) {
    this.file = file;
    this.reader = reader;
  }

  @Override
  public long incarnation() {
    return file.identity().incarnation();
  }

  @Override
  public int maxParallelism() {
    return file.identity().maxParallelism();
  }

  @Override
  public int ringCount() {
    return file.identity().ringCount();
  }

  @Override
  public long slotCount() {
    return file.identity().slotCount();
  }

  @Override
  public RingReader.Poll poll(int mostPackets) {
    return reader.poll(mostPackets);
  }

  @Override
  public long runPosition() {
    return reader.runPosition();
  }

  @Override
  public int runCount() {
    return reader.runCount();
  }

  @Override
  public long timeBaseNs() {
    return reader.timeBaseNs();
  }

  @Override
  public boolean isClockTrusted() {
    return reader.isClockTrusted();
  }

  @Override
  public long takeUnreportedLost() {
    return reader.takeUnreportedLost();
  }

  @Override
  public long lostPackets() {
    return reader.lostPackets();
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
  public MemorySegment slots() {
    return file.slots();
  }

  @Override
  public long offsetBytes(long position) {
    return file.slotOffset(position);
  }

  @Override
  public RingProgress progress() {
    return reader.progress();
  }

  @Override
  public void release(long position) {
    reader.release(position);
  }

  @Override
  public long backlogSlots() {
    return reader.backlogSlots();
  }

  @Override
  public boolean isReplaced() {
    return file.isReplaced();
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
