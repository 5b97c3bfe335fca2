// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.raw;

import static dev.flowstone.model.abi.RawPacketLayout.CAPTURED_BYTES_OFFSET;
import static dev.flowstone.model.abi.RawPacketLayout.DATA_OFFSET_OFFSET;
import static dev.flowstone.model.abi.RawPacketLayout.FLAGS_OFFSET;
import static dev.flowstone.model.abi.RawPacketLayout.LINK_TYPE_OFFSET;
import static dev.flowstone.model.abi.RawPacketLayout.SIZE_BYTES;
import static dev.flowstone.model.abi.RawPacketLayout.TIME_NS_OFFSET;
import static dev.flowstone.model.abi.RawPacketLayout.WIRE_BYTES_OFFSET;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A batch of raw packet descriptors off the heap, as the parser takes them: {@link #count()}
 * descriptors whose data offsets count from {@link #base()}. Closed by whoever made it; one thread
 * at a time. Appending allocates nothing.
 */
public final class RawPacketBatch implements AutoCloseable {
  /** Long enough to hide the cost of a call, short enough for its frames to stay in the cache. */
  public static final int DEFAULT_CAPACITY = 1024;

  public static final int MAX_CAPACITY = 1 << 20;

  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Arena arena = Arena.ofShared();
  private final MemorySegment descriptors;
  private final int capacity;
  private MemorySegment base = MemorySegment.NULL;
  private int count;
  private int most;

  public RawPacketBatch(int capacity) {
    if (capacity < 1 || capacity > MAX_CAPACITY) {
      throw new IllegalArgumentException(
          "capacity must be from 1 to " + MAX_CAPACITY + ": capacity=" + capacity);
    }
    this.capacity = capacity;
    this.most = capacity;
    descriptors = arena.allocate(capacity * SIZE_BYTES, SIZE_BYTES);
  }

  /** Empties the batch; offsets of what follows count from {@code newBase}. */
  public void begin(MemorySegment newBase) {
    base = newBase;
    count = 0;
  }

  public void clear() {
    count = 0;
  }

  /** Adds one descriptor; the caller has seen to it that {@link #hasRoom()}. */
  public void append(
      long dataOffset, long timeNs, int capturedBytes, int wireBytes, int linkType, int flags) {
    long offset = count * SIZE_BYTES;
    MemorySegment target = descriptors;
    target.set(LONG, offset + DATA_OFFSET_OFFSET, dataOffset);
    target.set(LONG, offset + TIME_NS_OFFSET, timeNs);
    target.set(
        LONG,
        offset + CAPTURED_BYTES_OFFSET,
        Integer.toUnsignedLong(capturedBytes)
            | (Integer.toUnsignedLong(wireBytes) << Integer.SIZE));
    // Link type, flags and the zero of the reserved word.
    target.set(
        LONG, offset + LINK_TYPE_OFFSET, (linkType & 0xFFFFL) | ((flags & 0xFFFFL) << Short.SIZE));
    count++;
  }

  /**
   * Adds copies of descriptors that lie one after the other, as in another batch's memory; the
   * caller has seen to it that there is {@link #room()}.
   */
  public void appendAll(MemorySegment from, long fromOffset, int added) {
    MemorySegment.copy(from, fromOffset, descriptors, count * SIZE_BYTES, added * SIZE_BYTES);
    count += added;
  }

  public boolean hasRoom() {
    return count < most;
  }

  public int room() {
    return Math.max(0, most - count);
  }

  /** Lets the batch have room for no more than that many, up to its capacity. */
  public void limit(int mostPackets) {
    most = Math.clamp(mostPackets, 1, capacity);
  }

  public int count() {
    return count;
  }

  public int capacity() {
    return capacity;
  }

  /** What data offsets count from; valid until the source is asked for the next batch. */
  public MemorySegment base() {
    return base;
  }

  /** The whole descriptor array; the first {@link #count()} are set. */
  public MemorySegment descriptors() {
    return descriptors;
  }

  public long dataOffset(int index) {
    return descriptors.get(LONG, index * SIZE_BYTES + DATA_OFFSET_OFFSET);
  }

  public long timeNs(int index) {
    return descriptors.get(LONG, index * SIZE_BYTES + TIME_NS_OFFSET);
  }

  public int capturedBytes(int index) {
    return descriptors.get(INT, index * SIZE_BYTES + CAPTURED_BYTES_OFFSET);
  }

  /** Length on the wire; unsigned, as damaged captures hold any value. */
  public long wireBytes(int index) {
    return Integer.toUnsignedLong(descriptors.get(INT, index * SIZE_BYTES + WIRE_BYTES_OFFSET));
  }

  public int linkType(int index) {
    return Short.toUnsignedInt(descriptors.get(SHORT, index * SIZE_BYTES + LINK_TYPE_OFFSET));
  }

  public int flags(int index) {
    return descriptors.get(SHORT, index * SIZE_BYTES + FLAGS_OFFSET);
  }

  @Override
  public void close() {
    arena.close();
  }
}
