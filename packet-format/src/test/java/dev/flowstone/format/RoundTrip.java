// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketRecordLayout.SIZE_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.PacketLoss;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Encodes, decodes, and asserts that every bit of every record came back. */
final class RoundTrip {
  static final BatchOrigin ORIGIN =
      new BatchOrigin(
          0x0012_3456_789a_bcffL,
          0xfedc_ba98_7654_3210L,
          1L << 40,
          TrafficMix.START_NS,
          true,
          new PacketLoss(77, 5),
          65535,
          1000);

  private RoundTrip() {}

  static PacketBatchHeader check(BodyKind body, MemorySegment records, int[] selection, int count) {
    final PacketBatchEncoder encoder = new PacketBatchEncoder(body, Math.max(1, count));
    final byte[] message = encoder.encode(ORIGIN, records, 0, selection, count);
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment expected = arena.allocate(count * SIZE_BYTES + 1, 64);
      for (int i = 0; i < count; i++) {
        final long index = selection == null ? i : selection[i];
        MemorySegment.copy(records, index * SIZE_BYTES, expected, i * SIZE_BYTES, SIZE_BYTES);
      }
      final MemorySegment decoded = arena.allocate(count * SIZE_BYTES + 1, 64);
      final PacketBatchHeader header = new PacketBatchDecoder().decode(message, decoded);
      assertThat(decoded.mismatch(expected)).as("first byte that differs").isEqualTo(-1);
      return header;
    }
  }
}
