// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.offheap.ParserLibrary;
import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.raw.PacketSource;
import dev.flowstone.raw.RawPacketBatch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The first records of a mix, one after the other in memory. Whoever made them closes them. */
final class ParsedRecords implements AutoCloseable {
  private static final long LINE_BYTES = 64;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment records;
  private long count;

  private ParsedRecords(long mostPackets) {
    records = arena.allocate(mostPackets * PacketRecordLayout.SIZE_BYTES, LINE_BYTES);
  }

  static ParsedRecords of(Mix mix, long packets) {
    ParsedRecords parsed = new ParsedRecords(packets);
    try (PacketSource source = mix.open(packets);
        RawPacketBatch batch = new RawPacketBatch(RawPacketBatch.DEFAULT_CAPACITY)) {
      while (source.fill(batch) != PacketSource.END && parsed.take(batch, packets)) {
        // until either is exhausted
      }
    }
    return parsed;
  }

  /** Whether there is room for more. */
  private boolean take(RawPacketBatch batch, long mostPackets) {
    int some = (int) Math.min(batch.count(), mostPackets - count);
    MemorySegment target = records.asSlice(count * PacketRecordLayout.SIZE_BYTES);
    ParserLibrary.instance()
        .parse(batch.base(), batch.descriptors(), some, ParserProfile.SOFTWARE, target);
    count += some;
    return count < mostPackets;
  }

  MemorySegment records() {
    return records;
  }

  long count() {
    return count;
  }

  @Override
  public void close() {
    arena.close();
  }
}
