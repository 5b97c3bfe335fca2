// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.rings;

import dev.flowstone.model.PacketLoss;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingIdentity;
import dev.flowstone.offheap.ring.RingProgress;
import dev.flowstone.offheap.ring.RingReader;
import dev.flowstone.offheap.ring.RingTime;

/** A ring in a ring file, read where it lies. */
abstract sealed class FileRing implements OpenRing permits GatedRing, ObservedRing {
  final RingFile file;
  private final RingReader reader;

  FileRing(RingFile file, RingReader reader) {
    this.file = file;
    this.reader = reader;
  }

  @Override
  public RingIdentity identity() {
    return file.identity();
  }

  @Override
  public RingReader.Poll poll(int mostPackets) {
    return reader.poll(mostPackets);
  }

  @Override
  public RingRun run() {
    return new RingRun(
        reader.runPosition(),
        reader.runCount(),
        file.slots(),
        file.slotOffset(reader.runPosition()),
        reader.time().baseNs(),
        reader.time().isTrusted(),
        file.loan());
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
    return reader.position();
  }

  @Override
  public RingTime time() {
    return reader.time();
  }

  @Override
  public RingProgress progress() {
    return reader.progress();
  }

  @Override
  public long backlogSlots() {
    return reader.backlogSlots();
  }

  @Override
  public long untoldPackets() {
    return file.counters().untoldPackets();
  }

  @Override
  public boolean isReplaced() {
    return file.isReplaced();
  }

  @Override
  public void showLife() {
    reader.showLife();
  }

  @Override
  public void leave() {
    reader.leave();
  }

  /** Before the ring is closed. */
  abstract void putLaneAside();

  @Override
  public void close() {
    try {
      putLaneAside();
    } catch (InternalError memoryIsGone) {
      // Then there is no lane, either.
    }
    file.close();
  }
}
