// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.blocks;

import dev.flowstone.model.abi.PacketRecordLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Numbered records in memory. */
final class Records {
  static final long STREAM = 0x00ab_cdef_0123_4503L;
  static final long BASE_NS = 1_700_000_000_123_456_789L;
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);

  private Records() {}

  /** Record i has number i and is i microseconds later than the base. */
  static MemorySegment numbered(int count) {
    MemorySegment memory = Arena.ofAuto().allocate(Math.max(1, count) * 64L, 64);
    for (int i = 0; i < count; i++) {
      memory.set(INT, i * 64L + PacketRecordLayout.TIME_LOW_OFFSET, (int) (BASE_NS + i * 1000L));
      memory.set(INT, i * 64L + PacketRecordLayout.SEQUENCE_OFFSET, i);
      memory.set(INT, i * 64L + PacketRecordLayout.DESCRIPTOR_OFFSET, ~i);
    }
    return memory;
  }

  static PacketBlockOrigin origin(long position) {
    return new PacketBlockOrigin(STREAM, 0x0123456789abcdefL, position, BASE_NS, true);
  }

  static List<Integer> numbers(PacketBlock block) {
    List<Integer> numbers = new ArrayList<>();
    for (int i = 0; i < block.count(); i++) {
      long offset = block.offsetOf(i);
      int number = block.segment().get(INT, offset + PacketRecordLayout.SEQUENCE_OFFSET);
      if (block.segment().get(INT, offset + PacketRecordLayout.DESCRIPTOR_OFFSET) != ~number) {
        throw new AssertionError("record " + i + " is torn");
      }
      numbers.add(number);
    }
    return numbers;
  }

  static List<Long> positions(PacketBlock block) {
    List<Long> positions = new ArrayList<>();
    for (int i = 0; i < block.count(); i++) {
      positions.add(block.positionOf(i));
    }
    return positions;
  }
}
