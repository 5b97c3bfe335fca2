// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.datagram;

import dev.flowstone.model.abi.TelemetryDatagramLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Reads the header of a telemetry datagram where it lies, without an object. What a field means
 * stands in {@link TelemetryDatagramLayout}; of a datagram that nobody has checked it means nothing
 * ({@link DatagramCheck}).
 */
public final class DatagramHeader {
  public static final int BYTES = (int) TelemetryDatagramLayout.SIZE_BYTES;

  static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

  private DatagramHeader() {}

  static int magic(MemorySegment memory, long at) {
    return memory.get(U32, at + TelemetryDatagramLayout.MAGIC_OFFSET);
  }

  static int version(MemorySegment memory, long at) {
    return u16(memory, at + TelemetryDatagramLayout.VERSION_OFFSET);
  }

  /** A {@link dev.flowstone.model.abi.DatagramKind}. */
  public static int kind(MemorySegment memory, long at) {
    return u8(memory, at + TelemetryDatagramLayout.KIND_OFFSET);
  }

  /** Whether one of {@link dev.flowstone.model.abi.DatagramFlag} is set. */
  public static boolean has(MemorySegment memory, long at, int flag) {
    return (u8(memory, at + TelemetryDatagramLayout.FLAGS_OFFSET) & flag) != 0;
  }

  public static int ring(MemorySegment memory, long at) {
    return u16(memory, at + TelemetryDatagramLayout.RING_OFFSET);
  }

  public static int ringCount(MemorySegment memory, long at) {
    return u16(memory, at + TelemetryDatagramLayout.RING_COUNT_OFFSET);
  }

  /** Records in the body, or earlier incarnations. */
  public static int count(MemorySegment memory, long at) {
    return u16(memory, at + TelemetryDatagramLayout.COUNT_OFFSET);
  }

  public static int clock(MemorySegment memory, long at) {
    return u16(memory, at + TelemetryDatagramLayout.CLOCK_OFFSET);
  }

  public static int maxParallelism(MemorySegment memory, long at) {
    return memory.get(U32, at + TelemetryDatagramLayout.MAX_PARALLELISM_OFFSET);
  }

  public static int keyGroups(MemorySegment memory, long at) {
    return memory.get(U32, at + TelemetryDatagramLayout.KEY_GROUPS_OFFSET);
  }

  public static int reader(MemorySegment memory, long at) {
    return memory.get(U32, at + TelemetryDatagramLayout.READER_OFFSET);
  }

  static int checksum(MemorySegment memory, long at) {
    return memory.get(U32, at + TelemetryDatagramLayout.CHECKSUM_OFFSET);
  }

  public static long run(MemorySegment memory, long at) {
    return memory.get(U64, at + TelemetryDatagramLayout.RUN_OFFSET);
  }

  public static long runStartedNs(MemorySegment memory, long at) {
    return memory.get(U64, at + TelemetryDatagramLayout.RUN_STARTED_NS_OFFSET);
  }

  public static long stream(MemorySegment memory, long at) {
    return memory.get(U64, at + TelemetryDatagramLayout.STREAM_OFFSET);
  }

  public static long incarnation(MemorySegment memory, long at) {
    return memory.get(U64, at + TelemetryDatagramLayout.INCARNATION_OFFSET);
  }

  public static long sequence(MemorySegment memory, long at) {
    return memory.get(U64, at + TelemetryDatagramLayout.SEQUENCE_OFFSET);
  }

  public static long packets(MemorySegment memory, long at) {
    return memory.get(U64, at + TelemetryDatagramLayout.PACKETS_OFFSET);
  }

  public static long lostInRing(MemorySegment memory, long at) {
    return memory.get(U64, at + TelemetryDatagramLayout.LOST_IN_RING_OFFSET);
  }

  public static long lostBeforeTap(MemorySegment memory, long at) {
    return memory.get(U64, at + TelemetryDatagramLayout.LOST_BEFORE_TAP_OFFSET);
  }

  public static long startPackets(MemorySegment memory, long at) {
    return memory.get(U64, at + TelemetryDatagramLayout.START_PACKETS_OFFSET);
  }

  public static long startLostBeforeTap(MemorySegment memory, long at) {
    return memory.get(U64, at + TelemetryDatagramLayout.START_LOST_BEFORE_TAP_OFFSET);
  }

  public static long timeBaseNs(MemorySegment memory, long at) {
    return memory.get(U64, at + TelemetryDatagramLayout.TIME_BASE_NS_OFFSET);
  }

  private static int u8(MemorySegment memory, long offset) {
    return Byte.toUnsignedInt(memory.get(ValueLayout.JAVA_BYTE, offset));
  }

  private static int u16(MemorySegment memory, long offset) {
    return Short.toUnsignedInt(memory.get(U16, offset));
  }
}
