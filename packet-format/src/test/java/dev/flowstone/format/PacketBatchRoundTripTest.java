// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.format;

import static dev.flowstone.model.abi.PacketRecordLayout.SIZE_BYTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PacketBatchRoundTripTest {
  @ParameterizedTest
  @EnumSource(BodyKind.class)
  void shouldRestoreTrafficBitForBit(BodyKind body) {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment records = arena.allocate(4096 * SIZE_BYTES, 64);
      new TrafficMix(7, 500, 1.0).fill(records, 4096);
      final PacketBatchHeader header = RoundTrip.check(body, records, null, 4096);
      assertThat(header.body()).isEqualTo(body);
    }
  }

  @ParameterizedTest
  @EnumSource(BodyKind.class)
  void shouldRestoreTheLargestBatch(BodyKind body) {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment records = arena.allocate(PacketBatchEncoder.MAX_COUNT * SIZE_BYTES, 64);
      new TrafficMix(8, 20_000, 0.9).fill(records, PacketBatchEncoder.MAX_COUNT);
      RoundTrip.check(body, records, null, PacketBatchEncoder.MAX_COUNT);
    }
  }

  @ParameterizedTest
  @EnumSource(BodyKind.class)
  void shouldCarryTheHeaderEvenOfAnEmptyBatch(BodyKind body) {
    final PacketBatchHeader header = RoundTrip.check(body, MemorySegment.NULL, null, 0);
    assertThat(header)
        .isEqualTo(
            new PacketBatchHeader(
                3,
                BodyKind.RAW,
                0,
                0xff,
                0x0012_3456_789a_bcffL,
                65535,
                0xfedc_ba98_7654_3210L,
                1L << 40,
                0,
                1000,
                TrafficMix.START_NS,
                new PacketLoss(77, 5),
                true));
  }

  @ParameterizedTest
  @EnumSource(BodyKind.class)
  void shouldTakeOnlyTheSelectionAndTellItsPositions(BodyKind body) {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment records = arena.allocate(300 * SIZE_BYTES, 64);
      new TrafficMix(9, 20, 1.0).fill(records, 300);
      final int[] selection = new int[100];
      for (int i = 0; i < selection.length; i++) {
        selection[i] = 2 + 2 * i;
      }
      final PacketBatchHeader header = RoundTrip.check(body, records, selection, 100);
      assertThat(header.firstPosition()).isEqualTo((1L << 40) + 2);
      assertThat(header.positionSpan()).isEqualTo(198);
      assertThat(header.count()).isEqualTo(100);
    }
  }

  @Test
  void shouldEncodeManyMessagesWithOneEncoder() {
    try (Arena arena = Arena.ofConfined()) {
      final PacketBatchEncoder encoder = new PacketBatchEncoder(BodyKind.COLUMNS, 1000);
      final PacketBatchDecoder decoder = new PacketBatchDecoder();
      final MemorySegment records = arena.allocate(1000 * SIZE_BYTES, 64);
      final MemorySegment decoded = arena.allocate(1000 * SIZE_BYTES, 64);
      final TrafficMix mix = new TrafficMix(10, 300, 1.0);
      for (int round = 0; round < 20; round++) {
        final int count = 1000 - 37 * round;
        mix.fill(records, count);
        final byte[] message = encoder.encode(RoundTrip.ORIGIN, records, 0, count);
        decoder.decode(message, decoded);
        assertThat(
                MemorySegment.mismatch(
                    records, 0, count * SIZE_BYTES, decoded, 0, count * SIZE_BYTES))
            .isEqualTo(-1);
      }
    }
  }

  /** Packets that were sent over the network lie side by side, wherever they were in the ring. */
  @Test
  void shouldTellPositionsThatMemoryDoesNot() {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment records = arena.allocate(3 * SIZE_BYTES, 64);
      new TrafficMix(1, 2, 1.0).fill(records, 3);
      final PacketBatchEncoder encoder = new PacketBatchEncoder(BodyKind.RAW, 3);
      final byte[] message = encoder.encode(RoundTrip.ORIGIN, records, 0, null, 3, 5, 9);
      final PacketBatchHeader header = new PacketBatchDecoder().readHeader(message);
      assertThat(header.firstPosition()).isEqualTo(RoundTrip.ORIGIN.firstPosition() + 5);
      assertThat(header.positionSpan()).isEqualTo(4);
    }
  }

  @Test
  void shouldNeverBeLongerThanTheRecords() {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment records = arena.allocate(2 * SIZE_BYTES, 64);
      WildRecords.fill(records, 2, 3);
      final PacketBatchEncoder encoder = new PacketBatchEncoder(BodyKind.COLUMNS, 2);
      assertThat(encoder.encode(RoundTrip.ORIGIN, records, 0, 2)).hasSize(80 + 2 * 64);
    }
  }

  @ParameterizedTest
  @EnumSource(BodyKind.class)
  void shouldRefuseControlRecords(BodyKind body) {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment records = arena.allocate(2 * SIZE_BYTES, 64);
      WildRecords.fill(records, 2, 4);
      WildRecords.setKind(records, SIZE_BYTES, RecordKind.TIME);
      assertThatThrownBy(() -> RoundTrip.check(body, records, null, 2))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("only packet records");
    }
  }

  @Test
  void shouldRefuseRecordsBehindTheirMemory() {
    try (Arena arena = Arena.ofConfined()) {
      final MemorySegment records = arena.allocate(2 * SIZE_BYTES, 64);
      assertThatThrownBy(() -> RoundTrip.check(BodyKind.RAW, records, null, 3))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("records end behind their memory");
    }
  }
}
