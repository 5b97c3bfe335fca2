// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.rings;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.offheap.ring.ObservingReader;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingLoan;
import dev.flowstone.offheap.ring.RingReader;
import dev.flowstone.offheap.ring.RingStart;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A ring whose producer waits for nobody: each run is copied, and handed out when the copy is
 * whole. It stands until the next poll.
 */
final class ObservedRing extends FileRing {
  private static final long RECORD_BYTES = PacketRecordLayout.SIZE_BYTES;

  private final ObservingReader reader;
  private MemorySegment copy = MemorySegment.NULL;
  private volatile long copiedPosition;
  private final RingLoan loan = position -> position >= copiedPosition;

  private ObservedRing(RingFile file, ObservingReader reader) {
    super(file, reader);
    this.reader = reader;
  }

  static ObservedRing of(RingFile file, RingStart start, LaneUse lane) {
    return new ObservedRing(file, new ObservingReader(file, lane.reader(), start, lane.expiry()));
  }

  /** What was written over while it was copied is lost; the ring's next clock record counts it. */
  @Override
  public RingReader.Poll poll(int mostPackets) {
    RingReader.Poll found = reader.poll(mostPackets);
    if (found != RingReader.Poll.PACKETS) {
      return found;
    }
    copiedPosition = reader.runPosition();
    copyRun(reader.runCount() * RECORD_BYTES);
    return reader.isRunIntact() ? found : RingReader.Poll.NOTHING;
  }

  private void copyRun(long bytes) {
    if (copy.byteSize() < bytes) {
      copy = Arena.ofAuto().allocate(bytes, RECORD_BYTES);
    }
    MemorySegment.copy(file.slots(), file.slotOffset(copiedPosition), copy, 0, bytes);
  }

  @Override
  public RingRun run() {
    return new RingRun(
        copiedPosition,
        reader.runCount(),
        copy,
        0,
        reader.time().baseNs(),
        reader.time().isTrusted(),
        loan);
  }

  /** Nothing is held; the lane tells how far it was read. */
  @Override
  public void release(long position) {
    reader.tell(position);
  }

  /** It holds nothing for a successor: other readers may have it. */
  @Override
  void putLaneAside() {
    reader.leave();
  }
}
