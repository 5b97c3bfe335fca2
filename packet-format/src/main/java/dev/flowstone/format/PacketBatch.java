// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import dev.flowstone.model.abi.PacketRecordLayout;
import java.lang.foreign.MemorySegment;

/**
 * One decoded message: its header and its records. Immutable, so any thread may keep and share it.
 */
public final class PacketBatch {
  private static final int RECORD_WORDS = (int) PacketRecordLayout.SIZE_BYTES / Long.BYTES;

  private final PacketBatchHeader header;
  private final MemorySegment records;
  private final byte[] message;

  private PacketBatch(PacketBatchHeader header, MemorySegment records, byte[] message) {
    this.header = header;
    this.records = records;
    this.message = message;
  }

  /** Decodes a message into memory of the batch's own. */
  public static PacketBatch decode(PacketBatchDecoder decoder, byte[] message) {
    final byte[] kept = message.clone();
    final int count = decoder.readHeader(kept).count();
    // An array of long, so that the record's aligned fields are aligned here too.
    final MemorySegment records = MemorySegment.ofArray(new long[count * RECORD_WORDS]);
    final PacketBatchHeader header = decoder.decode(kept, records);
    return new PacketBatch(header, records.asReadOnly(), kept);
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
    return message.clone();
  }
}
