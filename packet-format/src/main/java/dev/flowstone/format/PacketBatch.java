// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import dev.flowstone.model.abi.PacketRecordLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * One decoded message: its header and its records. Immutable, so any thread may keep and share it.
 */
public final class PacketBatch {
  private final PacketBatchHeader header;
  private final MemorySegment message;
  private final MemorySegment records;

  private PacketBatch(PacketBatchHeader header, MemorySegment message, MemorySegment records) {
    this.header = header;
    this.message = message;
    this.records = records.asReadOnly();
  }

  /**
   * Decodes a message into memory of the batch's own, with one copy of it: raw records stay where
   * they lie in that.
   */
  public static PacketBatch decode(PacketBatchDecoder decoder, byte[] message) {
    final PacketBatchHeader header = decoder.readHeader(message);
    final MemorySegment kept = alignedMemory(message.length);
    MemorySegment.copy(MemorySegment.ofArray(message), 0, kept, 0, message.length);
    final long recordsBytes = header.count() * PacketRecordLayout.SIZE_BYTES;
    final MemorySegment records;
    if (header.body() == BodyKind.RAW) {
      records = kept.asSlice(header.lengthBytes(), recordsBytes);
      PacketBatchDecoder.requirePackets(records, header.count());
    } else {
      records = alignedMemory(recordsBytes);
      decoder.decodeBody(header, message, records);
    }
    return new PacketBatch(header, kept, records);
  }

  /** An array of long, so that the record's aligned fields are aligned here too. */
  private static MemorySegment alignedMemory(long bytes) {
    final int words = Math.ceilDiv((int) bytes, Long.BYTES);
    return MemorySegment.ofArray(new long[words]).asSlice(0, bytes);
  }

  /** What the batch says of all its packets. */
  public PacketBatchHeader header() {
    return header;
  }

  /** Packets in the batch. */
  public int count() {
    return header.count();
  }

  /** All records one after the other, read-only; record i is at {@link #offsetBytes}. */
  public MemorySegment records() {
    return records;
  }

  /** Where record index is within {@link #records()}. */
  public long offsetBytes(int index) {
    if (index < 0 || index >= count()) {
      throw new IndexOutOfBoundsException("packet " + index + " of " + count());
    }
    return index * PacketRecordLayout.SIZE_BYTES;
  }

  /** Time of packet index: UTC nanoseconds since 1970. */
  public long timeNs(int index) {
    return header.timeNs(
        records.get(
            LittleEndian.INT_LAYOUT, offsetBytes(index) + PacketRecordLayout.TIME_LOW_OFFSET));
  }

  /** The message as it came, for sending it on. */
  public byte[] toMessage() {
    return message.toArray(ValueLayout.JAVA_BYTE);
  }
}
