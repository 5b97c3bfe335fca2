// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static dev.flowstone.model.abi.RingFileHeaderLayout.CONTROL_COUNT_OFFSET;
import static dev.flowstone.model.abi.RingFileHeaderLayout.CONTROL_INDEX_ENTRIES;
import static dev.flowstone.model.abi.RingFileHeaderLayout.CONTROL_INDEX_OFFSET;
import static dev.flowstone.model.abi.RingFileHeaderLayout.POSITION_OFFSET;
import static dev.flowstone.model.abi.RingFileHeaderLayout.RESERVED_POSITION_OFFSET;
import static dev.flowstone.model.abi.RingFileHeaderLayout.STATE_OFFSET;

import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.model.abi.RingState;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * The changing words of a ring file's header, each with the access mode its protocol asks for.
 *
 * <p>Publication: the producer writes slots with plain stores, then control index, counters and
 * {@code position} with release, in this order; a reader who acquires {@code position} sees all of
 * them.
 *
 * <p>Looking on: who reads counters without asking for the position sees the offered packets that
 * the producer set before the written ones it sees, as long as it reads them the other way round.
 *
 * <p>Overrun: the producer stores {@code reserved_position}, fences, then reads the lanes; a reader
 * stores its lane, fences, then reads {@code reserved_position}. At least one sees the other.
 */
final class RingHeader {
  static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final VarHandle LONG_WORD = LONG.varHandle();
  private static final VarHandle INT_WORD = INT.varHandle();

  private final MemorySegment header;

  RingHeader(MemorySegment header) {
    this.header = header;
  }

  long positionAcquire() {
    return (long) LONG_WORD.getAcquire(header, POSITION_OFFSET);
  }

  void publishPosition(long position) {
    LONG_WORD.setRelease(header, POSITION_OFFSET, position);
  }

  long reservedPosition() {
    return (long) LONG_WORD.getVolatile(header, RESERVED_POSITION_OFFSET);
  }

  /** Announces how far the producer may write, before it looks at the lanes. */
  void announceReserved(long position) {
    LONG_WORD.setRelease(header, RESERVED_POSITION_OFFSET, position);
    VarHandle.fullFence();
  }

  /** Nothing above the published position is being written until the next announcement. */
  void withdrawReserved(long position) {
    LONG_WORD.setRelease(header, RESERVED_POSITION_OFFSET, position);
  }

  boolean isEndedAcquire() {
    return (int) INT_WORD.getAcquire(header, STATE_OFFSET) == RingState.ENDED;
  }

  void publishEnded() {
    INT_WORD.setRelease(header, STATE_OFFSET, RingState.ENDED);
  }

  long controlCountAcquire() {
    return (long) LONG_WORD.getAcquire(header, CONTROL_COUNT_OFFSET);
  }

  long controlPosition(long ordinal) {
    return (long) LONG_WORD.getAcquire(header, controlOffset(ordinal));
  }

  /**
   * The entry stands before the count that covers it; the next release of the position publishes
   * both.
   */
  void addControl(long ordinal, long position) {
    LONG_WORD.setRelease(header, controlOffset(ordinal), position);
    LONG_WORD.setRelease(header, CONTROL_COUNT_OFFSET, ordinal + 1);
  }

  private static long controlOffset(long ordinal) {
    return CONTROL_INDEX_OFFSET
        + Long.remainderUnsigned(ordinal, CONTROL_INDEX_ENTRIES) * Long.BYTES;
  }

  long counter(long offset) {
    return (long) LONG_WORD.getAcquire(header, offset);
  }

  void setCounter(long offset, long value) {
    LONG_WORD.setRelease(header, offset, value);
  }

  /** Offered last, as the writer sets it first: what was written has been offered, also here. */
  RingCounters counters() {
    long dropped = counter(RingFileHeaderLayout.DROPPED_PACKETS_OFFSET);
    long written = counter(RingFileHeaderLayout.WRITTEN_PACKETS_OFFSET);
    return new RingCounters(
        counter(RingFileHeaderLayout.OFFERED_PACKETS_OFFSET),
        written,
        dropped,
        counter(RingFileHeaderLayout.LOST_RECORDED_OFFSET),
        counter(RingFileHeaderLayout.SATURATED_LENGTHS_OFFSET),
        counter(RingFileHeaderLayout.OFFERED_BYTES_OFFSET),
        counter(RingFileHeaderLayout.LATEST_TIME_NS_OFFSET),
        counter(RingFileHeaderLayout.LOST_BEFORE_TAP_OFFSET),
        counter(RingFileHeaderLayout.LOST_BEFORE_TAP_RECORDED_OFFSET),
        counter(RingFileHeaderLayout.EXPIRED_LANES_OFFSET),
        counter(RingFileHeaderLayout.OTHER_CLOCK_PACKETS_OFFSET));
  }

  static void putText(MemorySegment segment, long offset, long lengthBytes, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    segment.asSlice(offset, lengthBytes).fill((byte) 0);
    int kept = (int) Math.min(bytes.length, lengthBytes);
    MemorySegment.copy(bytes, 0, segment, ValueLayout.JAVA_BYTE, offset, kept);
  }

  static String text(MemorySegment segment, long offset, long lengthBytes) {
    byte[] bytes = segment.asSlice(offset, lengthBytes).toArray(ValueLayout.JAVA_BYTE);
    int end = 0;
    while (end < bytes.length && bytes[end] != 0) {
      end++;
    }
    return new String(bytes, 0, end, StandardCharsets.UTF_8);
  }
}
