// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RawPacketLayout;
import dev.flowstone.offheap.ParserLibrary;
import dev.flowstone.offheap.ParserProfile;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.raw.RawPacketBatch;
import dev.flowstone.traffic.synthetic.SyntheticOptions;
import dev.flowstone.traffic.synthetic.SyntheticSource;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Packets of the synthetic source, captured and parsed before anything is measured. One thread. */
final class PreparedRecords implements AutoCloseable {
  static final int BATCH = RawPacketBatch.DEFAULT_CAPACITY;
  private static final int MEAN_CAPTURED_BYTES = 160;
  private static final long LINE_BYTES = 64;

  private final Arena arena = Arena.ofConfined();
  private final CapturedFrames captured;
  private final MemorySegment records;
  private final long packets;
  private long next;

  /** Whole batches, so that {@link #writeBatch} has no remainder. */
  PreparedRecords(long leastPackets) throws IOException {
    packets = Math.ceilDiv(leastPackets, BATCH) * BATCH;
    try (SyntheticSource source =
        new SyntheticSource(SyntheticOptions.defaults().withPackets(packets))) {
      captured = new CapturedFrames(packets, packets * MEAN_CAPTURED_BYTES).take(source);
    }
    records = arena.allocate(packets * PacketRecordLayout.SIZE_BYTES, LINE_BYTES);
    ParserLibrary.instance()
        .parse(
            captured.frames(),
            captured.descriptors(),
            (int) packets,
            ParserProfile.SOFTWARE,
            records);
  }

  /** Writes the next batch; after the last comes the first again. */
  void writeBatch(RingSetWriter rings) {
    rings.write(
        captured.descriptors().asSlice(next * RawPacketLayout.SIZE_BYTES),
        records.asSlice(next * PacketRecordLayout.SIZE_BYTES),
        BATCH);
    next = next + BATCH < packets ? next + BATCH : 0;
  }

  @Override
  public void close() {
    captured.close();
    arena.close();
  }
}
