// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.suite;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.blocks.WeightedBlock;
import dev.flowstone.format.PacketBatchDecoder;
import dev.flowstone.format.PacketBatchHeader;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Numbers as blocks of three packets, each with the number and its own place in the block. */
final class TextBlocks {
  static final int RINGS = 2;

  private static final int PACKETS = 3;
  private static final int TAP = 42;
  private static final long TIME_BASE_NS = 1_700_000_000_000_000_000L;
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private TextBlocks() {}

  static WeightedBlock block(String text) {
    int number = Integer.parseInt(text);
    MemorySegment records =
        Arena.ofAuto().allocate(PACKETS * PacketRecordLayout.SIZE_BYTES, PacketBlock.RECORD_BYTES);
    for (int i = 0; i < PACKETS; i++) {
      long offset = i * PacketRecordLayout.SIZE_BYTES;
      records.set(INT, offset + PacketRecordLayout.TIME_LOW_OFFSET, (int) TIME_BASE_NS + i);
      records.set(INT, offset + PacketRecordLayout.SEQUENCE_OFFSET, number);
      records.set(INT, offset + PacketRecordLayout.ACKNOWLEDGEMENT_OFFSET, i);
      records.set(
          INT,
          offset + PacketRecordLayout.DESCRIPTOR_OFFSET,
          64 | RecordKind.IPV4 << PacketRecordLayout.KIND_SHIFT);
    }
    PacketBlockOrigin origin =
        new PacketBlockOrigin(
            StreamNumber.of(TAP, number % RINGS), 1, (long) number * PACKETS, TIME_BASE_NS, true);
    return WeightedBlock.plain(PacketBlock.of(origin, records, 0, PACKETS, PacketLoss.NONE));
  }

  /** Returns the text of a message; fails if it is not one whole block. */
  static String text(byte[] message) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment records =
          arena.allocate(PACKETS * PacketRecordLayout.SIZE_BYTES, PacketBlock.RECORD_BYTES);
      PacketBatchHeader header = new PacketBatchDecoder().decode(message, records);
      assertThat(header.count()).isEqualTo(PACKETS);
      assertThat(header.lossBefore()).isEqualTo(PacketLoss.NONE);
      int number = (int) (header.firstPosition() / PACKETS);
      for (int i = 0; i < PACKETS; i++) {
        long offset = i * PacketRecordLayout.SIZE_BYTES;
        assertThat(records.get(INT, offset + PacketRecordLayout.SEQUENCE_OFFSET)).isEqualTo(number);
        assertThat(records.get(INT, offset + PacketRecordLayout.ACKNOWLEDGEMENT_OFFSET))
            .isEqualTo(i);
      }
      return Integer.toString(number);
    }
  }
}
