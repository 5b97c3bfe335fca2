// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RawPacketFlag;
import dev.flowstone.model.abi.RawPacketLayout;
import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Records made by hand, numbered in their sequence field, ready for a ring writer. */
final class RecordBatch {
  static final int CAPACITY = 4096;

  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN);

  final MemorySegment rawPackets;
  final MemorySegment records;
  int count;
  private int nextNumber;

  RecordBatch(Arena arena) {
    rawPackets = arena.allocate(CAPACITY * RawPacketLayout.SIZE_BYTES, 64);
    records = arena.allocate(CAPACITY * PacketRecordLayout.SIZE_BYTES, 64);
  }

  /** Starts again with packets that go on with the numbers. */
  RecordBatch fill(int packets, long firstNs, long gapNs) {
    count = 0;
    for (int i = 0; i < packets; i++) {
      add(nextNumber * 0x9E3779B9, firstNs + i * gapNs, true);
    }
    return this;
  }

  RecordBatch add(int flowHash, long timeNs, boolean timed) {
    long raw = count * RawPacketLayout.SIZE_BYTES;
    rawPackets.asSlice(raw, RawPacketLayout.SIZE_BYTES).fill((byte) 0);
    rawPackets.set(RingHeader.LONG, raw + RawPacketLayout.TIME_NS_OFFSET, timeNs);
    rawPackets.set(RingHeader.INT, raw + RawPacketLayout.WIRE_BYTES_OFFSET, 100);
    rawPackets.set(
        SHORT, raw + RawPacketLayout.FLAGS_OFFSET, (short) (timed ? 0 : RawPacketFlag.UNTIMED));
    long record = count * PacketRecordLayout.SIZE_BYTES;
    records.asSlice(record, PacketRecordLayout.SIZE_BYTES).fill((byte) 0);
    records.set(RingHeader.INT, record + PacketRecordLayout.TIME_LOW_OFFSET, (int) timeNs);
    records.set(RingHeader.INT, record + PacketRecordLayout.FLOW_HASH_OFFSET, flowHash);
    records.set(RingHeader.INT, record + PacketRecordLayout.SEQUENCE_OFFSET, nextNumber++);
    records.set(
        RingHeader.INT,
        record + PacketRecordLayout.DESCRIPTOR_OFFSET,
        RecordKind.IPV4 << PacketRecordLayout.KIND_SHIFT | 100);
    count++;
    return this;
  }

  RecordBatch clear() {
    count = 0;
    return this;
  }

  void writeTo(RingSetWriter writer) {
    writer.write(rawPackets, records, count);
  }
}
