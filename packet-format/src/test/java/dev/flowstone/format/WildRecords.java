// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketRecordLayout.*;

import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

/**
 * Records that no parser would write: every bit random, with a chance that a field repeats that of
 * an earlier record, so that flows, second directions and large residuals all occur. Only the kind
 * is always that of a packet.
 */
final class WildRecords {
  private static final int[] FIELD_OFFSETS = {0, 4, 8, 16, 24, 32, 40, 44, 48, 52, 56, 60, 64};
  private static final int[] PROTOCOLS = {6, 17, 1, 132};

  private WildRecords() {}

  static void fill(MemorySegment records, int count, long seed) {
    final SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < count; i++) {
      final long at = i * SIZE_BYTES;
      for (int word = 0; word < SIZE_BYTES; word += Integer.BYTES) {
        records.set(LittleEndian.INT_LAYOUT, at + word, random.nextInt());
      }
      records.set(ValueLayout.JAVA_BYTE, at + PROTOCOL_OFFSET, (byte) PROTOCOLS[random.nextInt(4)]);
      if (i > 0 && random.nextInt(4) > 0) {
        repeatFields(records, at, random.nextInt(i) * SIZE_BYTES, random);
      }
      setKind(records, at, RecordKind.IPV4 + random.nextInt(5));
    }
  }

  private static void repeatFields(
      MemorySegment records, long at, long earlier, SplittableRandom random) {
    final boolean reverse = random.nextBoolean();
    for (int field = 0; field + 1 < FIELD_OFFSETS.length; field++) {
      final int offset = FIELD_OFFSETS[field];
      if ((offset >= FLOW_HASH_OFFSET && offset < SEQUENCE_OFFSET) || random.nextBoolean()) {
        MemorySegment.copy(
            records, earlier + offset, records, at + offset, FIELD_OFFSETS[field + 1] - offset);
      }
    }
    records.set(
        ValueLayout.JAVA_BYTE,
        at + PROTOCOL_OFFSET,
        records.get(ValueLayout.JAVA_BYTE, earlier + PROTOCOL_OFFSET));
    if (reverse) {
      swapEndpoints(records, at);
    }
  }

  private static void swapEndpoints(MemorySegment records, long at) {
    final byte[] source =
        records.asSlice(at + SOURCE_ADDRESS_OFFSET, 16).toArray(ValueLayout.JAVA_BYTE);
    MemorySegment.copy(
        records, at + DESTINATION_ADDRESS_OFFSET, records, at + SOURCE_ADDRESS_OFFSET, 16);
    MemorySegment.copy(
        source, 0, records, ValueLayout.JAVA_BYTE, at + DESTINATION_ADDRESS_OFFSET, 16);
    final int ports = records.get(LittleEndian.INT_LAYOUT, at + SOURCE_PORT_OFFSET);
    records.set(LittleEndian.INT_LAYOUT, at + SOURCE_PORT_OFFSET, ports << 16 | ports >>> 16);
  }

  static void setKind(MemorySegment records, long at, int kind) {
    final int descriptor = records.get(LittleEndian.INT_LAYOUT, at + DESCRIPTOR_OFFSET);
    records.set(
        LittleEndian.INT_LAYOUT,
        at + DESCRIPTOR_OFFSET,
        (descriptor & ~(KIND_MASK << KIND_SHIFT)) | kind << KIND_SHIFT);
  }
}
