// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.blocks;

import dev.flowstone.model.PacketLoss;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Writes a block as bytes where it leaves the task: a header, then its packets' records and nothing
 * of those that were not selected. Within a task a block is passed on as it is.
 *
 * <p>Format 2, big-endian as Flink's views are, records as in the ring:
 *
 * <pre>
 *  0  u8   flags: bit 0 the clock is trusted, bit 1 gaps follow
 *  1  i64  stream
 *  9  i64  incarnation
 * 17  i64  position of the run's first packet
 * 25  i64  time base, UTC nanoseconds
 * 33  i64  lost in the ring before this block
 * 41  i64  lost before the tap
 * 49  i32  count, 0 to 65535
 * 53  u16  per packet, only with bit 1: its position minus the run's first, ascending
 *     64 B per packet: the record
 * </pre>
 *
 * <p>A borrowed block whose memory holds other packets by now is an error, not other packets.
 *
 * <p>What was read lies off the heap, in memory that goes when the block is no longer reachable; it
 * counts as direct memory (taskmanager.memory.task.off-heap.size).
 */
public final class PacketBlockSerializer extends TypeSerializer<PacketBlock> {
  private static final long serialVersionUID = 1L;

  private static final int CLOCK_TRUSTED = 1;
  private static final int GAPS = 2;
  private static final int KNOWN_FLAGS = CLOCK_TRUSTED | GAPS;
  private static final int GAP_BYTES = Short.BYTES;
  private static final int HEADER_BYTES = 53;

  /** Bytes moved at a time between a view and memory. */
  private static final int CHUNK_BYTES = 64 * PacketBlock.RECORD_BYTES;

  private transient byte[] chunk;
  private transient BlockMemory memory;

  @Override
  public boolean isImmutableType() {
    return true;
  }

  @Override
  public TypeSerializer<PacketBlock> duplicate() {
    return new PacketBlockSerializer();
  }

  @Override
  public PacketBlock createInstance() {
    return PacketBlock.empty(new PacketBlockOrigin(0, 0, 0, 0, false), PacketLoss.NONE);
  }

  @Override
  public PacketBlock copy(PacketBlock from) {
    return from;
  }

  @Override
  public PacketBlock copy(PacketBlock from, PacketBlock reuse) {
    return from;
  }

  @Override
  public int getLength() {
    return -1;
  }

  @Override
  public void serialize(PacketBlock block, DataOutputView target) throws IOException {
    block.requireIntact();
    PacketBlockOrigin origin = block.origin();
    int flags = (origin.clockTrusted() ? CLOCK_TRUSTED : 0) | (block.hasGaps() ? GAPS : 0);
    target.writeByte(flags);
    target.writeLong(origin.stream());
    target.writeLong(origin.incarnation());
    target.writeLong(origin.position());
    target.writeLong(origin.timeBaseNs());
    target.writeLong(block.lossBefore().inRing());
    target.writeLong(block.lossBefore().beforeTap());
    target.writeInt(block.count());
    if (block.hasGaps()) {
      for (int i = 0; i < block.count(); i++) {
        target.writeShort(block.gapOf(i));
      }
    }
    writeRecords(block, target);
    block.requireIntact();
  }

  private void writeRecords(PacketBlock block, DataOutputView target) throws IOException {
    byte[] bytes = chunk();
    int mostRecords = CHUNK_BYTES / PacketBlock.RECORD_BYTES;
    for (int index = 0; index < block.count(); index += mostRecords) {
      int records = Math.min(mostRecords, block.count() - index);
      gather(block, index, records, bytes);
      target.write(bytes, 0, records * PacketBlock.RECORD_BYTES);
    }
  }

  private static void gather(PacketBlock block, int index, int records, byte[] bytes) {
    MemorySegment segment = block.segment();
    if (block.isContiguous()) {
      int lengthBytes = records * PacketBlock.RECORD_BYTES;
      MemorySegment.copy(
          segment, ValueLayout.JAVA_BYTE, block.offsetOf(index), bytes, 0, lengthBytes);
      return;
    }
    for (int i = 0; i < records; i++) {
      MemorySegment.copy(
          segment,
          ValueLayout.JAVA_BYTE,
          block.offsetOf(index + i),
          bytes,
          i * PacketBlock.RECORD_BYTES,
          PacketBlock.RECORD_BYTES);
    }
  }

  @Override
  public PacketBlock deserialize(DataInputView source) throws IOException {
    int flags = readFlags(source);
    long stream = source.readLong();
    long incarnation = source.readLong();
    long position = source.readLong();
    long timeBaseNs = source.readLong();
    PacketLoss lossBefore = readLoss(source);
    int count = readCount(source);
    PacketBlockOrigin origin =
        new PacketBlockOrigin(
            stream, incarnation, position, timeBaseNs, (flags & CLOCK_TRUSTED) != 0);
    int[] gaps = (flags & GAPS) == 0 ? null : readGaps(source, count);
    if (count == 0) {
      return PacketBlock.empty(origin, lossBefore);
    }
    return PacketBlock.shared(origin, readRecords(source, count), count, gaps, lossBefore);
  }

  @Override
  public PacketBlock deserialize(PacketBlock reuse, DataInputView source) throws IOException {
    return deserialize(source);
  }

  private static int readFlags(DataInputView source) throws IOException {
    int flags = source.readUnsignedByte();
    if ((flags & ~KNOWN_FLAGS) != 0) {
      throw new IOException(
          "malformed packet block: byte 0, unknown flags 0x" + Integer.toHexString(flags));
    }
    return flags;
  }

  private static PacketLoss readLoss(DataInputView source) throws IOException {
    long inRing = source.readLong();
    long beforeTap = source.readLong();
    if (inRing < 0 || beforeTap < 0) {
      throw new IOException(
          "malformed packet block: byte 33, losses are " + inRing + " and " + beforeTap);
    }
    return inRing == 0 && beforeTap == 0 ? PacketLoss.NONE : new PacketLoss(inRing, beforeTap);
  }

  private static int readCount(DataInputView source) throws IOException {
    int count = source.readInt();
    if (count < 0 || count > PacketBlock.MOST_RECORDS) {
      throw new IOException(
          "malformed packet block: byte 49, count is "
              + count
              + ", not 0 to "
              + PacketBlock.MOST_RECORDS);
    }
    return count;
  }

  private static int[] readGaps(DataInputView source, int count) throws IOException {
    int[] gaps = new int[count];
    int previous = -1;
    for (int i = 0; i < count; i++) {
      gaps[i] = source.readUnsignedShort();
      if (gaps[i] <= previous) {
        throw new IOException(
            "malformed packet block: byte "
                + (HEADER_BYTES + i * GAP_BYTES)
                + ", gap "
                + gaps[i]
                + " after "
                + previous
                + ", must ascend");
      }
      previous = gaps[i];
    }
    return gaps;
  }

  private MemorySegment readRecords(DataInputView source, int count) throws IOException {
    byte[] bytes = chunk();
    long sizeBytes = (long) count * PacketBlock.RECORD_BYTES;
    MemorySegment records = memory().allocate(sizeBytes);
    for (long offset = 0; offset < sizeBytes; offset += CHUNK_BYTES) {
      int lengthBytes = (int) Math.min(CHUNK_BYTES, sizeBytes - offset);
      source.readFully(bytes, 0, lengthBytes);
      MemorySegment.copy(bytes, 0, records, ValueLayout.JAVA_BYTE, offset, lengthBytes);
    }
    return records;
  }

  @Override
  public void copy(DataInputView source, DataOutputView target) throws IOException {
    int flags = readFlags(source);
    target.writeByte(flags);
    copyBytes(source, target, HEADER_BYTES - Byte.BYTES - Integer.BYTES);
    int count = readCount(source);
    target.writeInt(count);
    int gapBytes = (flags & GAPS) == 0 ? 0 : count * GAP_BYTES;
    copyBytes(source, target, gapBytes + count * PacketBlock.RECORD_BYTES);
  }

  /** In chunks, because DataOutputSerializer does not grow for bytes taken from a view. */
  private void copyBytes(DataInputView source, DataOutputView target, int lengthBytes)
      throws IOException {
    byte[] bytes = chunk();
    for (int copied = 0; copied < lengthBytes; copied += CHUNK_BYTES) {
      int chunkBytes = Math.min(CHUNK_BYTES, lengthBytes - copied);
      source.readFully(bytes, 0, chunkBytes);
      target.write(bytes, 0, chunkBytes);
    }
  }

  private BlockMemory memory() {
    if (memory == null) {
      memory = new BlockMemory();
    }
    return memory;
  }

  private byte[] chunk() {
    if (chunk == null) {
      chunk = new byte[CHUNK_BYTES];
    }
    return chunk;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PacketBlockSerializer;
  }

  @Override
  public int hashCode() {
    return PacketBlockSerializer.class.hashCode();
  }

  @Override
  public TypeSerializerSnapshot<PacketBlock> snapshotConfiguration() {
    return new PacketBlockSerializerSnapshot();
  }
}
