// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketRecordLayout.DESCRIPTOR_OFFSET;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.flowstone.model.StreamNumber;
import dev.flowstone.model.abi.PacketBatchHeaderLayout;
import dev.flowstone.model.abi.PacketColumnsHeaderLayout;
import dev.flowstone.model.abi.PacketRecordLayout;
import java.lang.foreign.MemorySegment;
import java.util.function.IntFunction;

/**
 * Packs packet records into one message. Keeps its buffers from message to message, so that
 * encoding allocates the message and nothing else. Not thread-safe: one encoder for each writer.
 *
 * <p>Records are packets only: TIME and LOSS records are refused. All must lie within 2^31 ns of
 * the time base. Record segments should be off-heap throughout the process, so that the hot loop
 * sees one kind of segment.
 */
public final class PacketBatchEncoder {
  /** Packets in one batch at most. */
  public static final int MAX_COUNT = PacketColumnsHeaderLayout.MAX_PACKETS;

  private static final int HEADER_BYTES = (int) PacketBatchHeaderLayout.SIZE_BYTES;
  private static final int RECORD_BYTES = (int) PacketRecordLayout.SIZE_BYTES;

  private final BodyKind body;
  private final int maxCount;
  private final ColumnPacker columns;
  private final BatchChecksum checksum = new BatchChecksum();

  /**
   * @param body how to lay out packets. With {@link BodyKind#COLUMNS} a batch that would be longer
   *     than its records (a handful of packets, or noise) is written raw.
   * @param maxCount packets of the largest batch, 1 to {@link #MAX_COUNT}; about 500 bytes of
   *     buffers for each
   */
  public PacketBatchEncoder(BodyKind body, int maxCount) {
    this(body, maxCount, ColumnPacker::inJava);
  }

  /** The same with another packer of columns, which is made here for batches of that size. */
  public PacketBatchEncoder(BodyKind body, int maxCount, IntFunction<ColumnPacker> packer) {
    if (maxCount < 1 || maxCount > MAX_COUNT) {
      throw new IllegalArgumentException(
          "maxCount must be 1 to " + MAX_COUNT + ": maxCount=" + maxCount);
    }
    this.body = body;
    this.maxCount = maxCount;
    columns = body == BodyKind.COLUMNS ? packer.apply(maxCount) : null;
  }

  /** The message of count consecutive records. */
  public byte[] encode(BatchOrigin origin, MemorySegment records, long offsetBytes, int count) {
    return encode(origin, records, offsetBytes, null, count);
  }

  /**
   * The message of the records that the selection names.
   *
   * @param records memory that holds the records
   * @param offsetBytes where record 0 is; its ring position is the origin's firstPosition
   * @param selection indexes of records in ascending order; null: the first count records
   * @param count how many entries of the selection to use
   */
  public byte[] encode(
      BatchOrigin origin, MemorySegment records, long offsetBytes, int[] selection, int count) {
    final int firstIndex = selection == null || count == 0 ? 0 : selection[0];
    final int lastIndex = count == 0 ? 0 : selection == null ? count - 1 : selection[count - 1];
    return encode(origin, records, offsetBytes, selection, count, firstIndex, lastIndex);
  }

  /**
   * The same for records that do not lie as far apart as their ring positions are.
   *
   * @param firstGap ring position of the first packet minus the origin's firstPosition
   * @param lastGap that of the last packet
   */
  public byte[] encode(
      BatchOrigin origin,
      MemorySegment records,
      long offsetBytes,
      int[] selection,
      int count,
      int firstGap,
      int lastGap) {
    requireFitting(records, offsetBytes, selection, count);
    final long rawBytes = (long) count * RECORD_BYTES;
    final MemorySegment packed =
        body == BodyKind.COLUMNS
            ? columns.pack(records, offsetBytes, selection, count, (int) origin.timeBaseNs())
            : MemorySegment.NULL;
    final byte[] message;
    final BodyKind written;
    if (packed.byteSize() == 0 || packed.byteSize() > rawBytes) {
      requirePackets(records, offsetBytes, selection, count);
      written = BodyKind.RAW;
      message = new byte[HEADER_BYTES + (int) rawBytes];
      copyRecords(records, offsetBytes, selection, count, MemorySegment.ofArray(message));
    } else {
      written = BodyKind.COLUMNS;
      message = new byte[HEADER_BYTES + (int) packed.byteSize()];
      MemorySegment.copy(packed, JAVA_BYTE, 0, message, HEADER_BYTES, (int) packed.byteSize());
    }
    header(written, origin, count, firstGap, lastGap).write(message);
    LittleEndian.INT.set(
        message,
        (int) PacketBatchHeaderLayout.CHECKSUM_OFFSET,
        checksum.of(message, message.length));
    return message;
  }

  private static PacketBatchHeader header(
      BodyKind body, BatchOrigin origin, int count, int firstGap, int lastGap) {
    return new PacketBatchHeader(
        PacketBatchHeaderLayout.VERSION,
        body,
        count,
        StreamNumber.ring(origin.stream()),
        origin.stream(),
        origin.rule(),
        origin.incarnation(),
        origin.firstPosition() + firstGap,
        lastGap - firstGap,
        origin.samplingWeight(),
        origin.timeBaseNs(),
        origin.lossBefore(),
        origin.clockTrusted());
  }

  private static void copyRecords(
      MemorySegment records, long offsetBytes, int[] selection, int count, MemorySegment message) {
    if (selection == null) {
      MemorySegment.copy(records, offsetBytes, message, HEADER_BYTES, (long) count * RECORD_BYTES);
    } else {
      for (int i = 0; i < count; i++) {
        final long source = offsetBytes + (long) selection[i] * RECORD_BYTES;
        MemorySegment.copy(
            records, source, message, HEADER_BYTES + (long) i * RECORD_BYTES, RECORD_BYTES);
      }
    }
  }

  private void requireFitting(MemorySegment records, long offsetBytes, int[] selection, int count) {
    if (count < 0 || count > maxCount) {
      throw new IllegalArgumentException(
          "count must be 0 to maxCount: count=" + count + " maxCount=" + maxCount);
    }
    if (selection != null) {
      requireAscending(selection, count);
    }
    final int last = count == 0 ? -1 : selection == null ? count - 1 : selection[count - 1];
    final long endBytes = offsetBytes + (last + 1L) * RECORD_BYTES;
    if (offsetBytes < 0 || endBytes > records.byteSize()) {
      throw new IllegalArgumentException(
          "records end behind their memory: offsetBytes="
              + offsetBytes
              + " last index="
              + last
              + " memory="
              + records.byteSize());
    }
  }

  private static void requireAscending(int[] selection, int count) {
    int previous = -1;
    for (int i = 0; i < count; i++) {
      if (selection[i] <= previous) {
        throw new IllegalArgumentException(
            "selection must ascend from 0: selection["
                + i
                + "]="
                + selection[i]
                + " after "
                + previous);
      }
      previous = selection[i];
    }
  }

  private static void requirePackets(
      MemorySegment records, long offsetBytes, int[] selection, int count) {
    int kinds = 0;
    for (int i = 0; i < count; i++) {
      final long index = selection == null ? i : selection[i];
      kinds |=
          PacketKinds.bit(
              records.get(
                  LittleEndian.INT_LAYOUT, offsetBytes + index * RECORD_BYTES + DESCRIPTOR_OFFSET));
    }
    PacketKinds.requirePackets(kinds);
  }
}
