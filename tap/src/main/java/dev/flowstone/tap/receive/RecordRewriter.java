// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RawPacketFlag;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.raw.RawPacketBatch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Writes records from elsewhere into rings: what a ring's writer wants to know of a packet beside
 * its record is in the record. Closed by whoever made it; one thread.
 */
final class RecordRewriter implements AutoCloseable {
  private static final long RECORD_BYTES = PacketRecordLayout.SIZE_BYTES;
  private static final long CACHE_LINE_BYTES = 64;
  private static final int NO_LINK_TYPE = 0;
  private static final int NO_FLAGS = 0;

  private final RingSetWriter rings;
  private final RawPacketBatch packets = new RawPacketBatch(RawPacketBatch.DEFAULT_CAPACITY);
  private final Arena arena = Arena.ofShared();
  private final MemorySegment records =
      arena.allocate(RawPacketBatch.DEFAULT_CAPACITY * RECORD_BYTES, CACHE_LINE_BYTES);

  RecordRewriter(RingSetWriter rings) {
    this.rings = rings;
  }

  /** Writes the records of a datagram into a ring, or has them dropped where it has no room. */
  void write(
      int ring, MemorySegment memory, long recordsAt, int count, long baseNs, boolean trusted) {
    MemorySegment.copy(memory, recordsAt, records, 0, count * RECORD_BYTES);
    int flags = trusted ? NO_FLAGS : RawPacketFlag.UNTIMED;
    packets.clear();
    for (int i = 0; i < count; i++) {
      long record = i * RECORD_BYTES;
      int frameBytes = PacketRecord.frameLength(PacketRecord.descriptor(records, record));
      long timeNs =
          trusted ? PacketRecord.timeNs(PacketRecord.timeLow(records, record), baseNs) : baseNs;
      packets.append(0, timeNs, frameBytes, frameBytes, NO_LINK_TYPE, flags);
    }
    rings.writeTo(ring, packets.descriptors(), records, count);
  }

  @Override
  public void close() {
    packets.close();
    arena.close();
  }
}
