// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RawPacketLayout;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Two rings that a test fills, and what it sent of each flow. */
public final class SentRings implements AutoCloseable {
  public static final int FLOWS = 20_000;
  public static final int KEY_GROUPS = 128;
  private static final int ROUND = 40_000;
  private static final int BATCH = 256;
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Map<FlowTuple, Long> sent = new HashMap<>();
  private final RingSetWriter writer;
  private long packets;

  public SentRings(Path folder) throws IOException {
    writer =
        RingSetWriter.create(
            new RingDirectory(folder),
            new RingSpecification(2, 19, RingClock.SYNTHETIC, KEY_GROUPS, "test", Optional.empty()),
            WhenFull.DROP);
  }

  public Map<FlowTuple, Long> sent() {
    return sent;
  }

  public long packets() {
    return packets;
  }

  public void write() {
    write(ROUND);
  }

  /** Writes more packets to flows of low numbers: some memory pages change, others do not. */
  public void write(int count) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment raw = arena.allocate(BATCH * RawPacketLayout.SIZE_BYTES, 64);
      MemorySegment records = arena.allocate(BATCH * PacketRecordLayout.SIZE_BYTES, 64);
      for (int written = 0; written < count; written += BATCH) {
        for (int i = 0; i < BATCH; i++) {
          describe(raw, records, i);
        }
        writer.write(raw, records, BATCH);
      }
    }
  }

  private void describe(MemorySegment raw, MemorySegment records, int index) {
    long number = packets++;
    long range = number % 4 == 0 ? FLOWS : FLOWS / 100;
    FlowTuple flow = SentPacket.flow((int) (number * 7 % range));
    sent.merge(flow, 1L, Long::sum);
    long timeNs = 1_700_000_000_000_000_000L + number * 1_000;
    new SentPacket(flow, timeNs, 64, 0).write(records, index * PacketRecordLayout.SIZE_BYTES);
    long at = index * RawPacketLayout.SIZE_BYTES;
    raw.set(LONG, at + RawPacketLayout.TIME_NS_OFFSET, timeNs);
    raw.set(INT, at + RawPacketLayout.WIRE_BYTES_OFFSET, 64);
  }

  public void end() {
    writer.end();
  }

  @Override
  public void close() {
    writer.close();
  }
}
