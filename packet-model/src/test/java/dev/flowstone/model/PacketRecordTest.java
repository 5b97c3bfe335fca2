// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.abi.PacketRecordLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/** Writes bytes where the page of the packet record says, reads through the accessors. */
class PacketRecordTest {
  private static final long SECOND_RECORD = PacketRecordLayout.SIZE_BYTES;

  @Test
  void shouldReadEveryFieldFromItsPlace() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment segment = arena.allocate(2 * PacketRecordLayout.SIZE_BYTES, 8);
      ByteBuffer record =
          segment.asSlice(SECOND_RECORD).asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
      record.putInt(0, 0xf1020304).putInt(4, 0xf5060708);
      for (int index = 0; index < 16; index++) {
        record.put(8 + index, (byte) (0x80 + index)).put(24 + index, (byte) (0xa0 + index));
      }
      record.putShort(40, (short) 0xf00a).putShort(42, (short) 0xf00b);
      record.putInt(44, 0xf00c0d0e).putInt(48, 0xf0101112);
      record.putShort(52, (short) 0xf013).putShort(54, (short) 0xfffe);
      record.put(56, (byte) 0xf4).put(57, (byte) 0xf5).put(58, (byte) 0xf6).put(59, (byte) 0xf7);
      record.putInt(60, 0xf8191a1b);

      assertThat(PacketRecord.timeLow(segment, SECOND_RECORD)).isEqualTo(0xf1020304);
      assertThat(PacketRecord.flowHash(segment, SECOND_RECORD)).isEqualTo(0xf5060708);
      assertThat(PacketRecord.sourceAddressHigh(segment, SECOND_RECORD))
          .isEqualTo(0x8081828384858687L);
      assertThat(PacketRecord.sourceAddressLow(segment, SECOND_RECORD))
          .isEqualTo(0x88898a8b8c8d8e8fL);
      assertThat(PacketRecord.destinationAddressHigh(segment, SECOND_RECORD))
          .isEqualTo(0xa0a1a2a3a4a5a6a7L);
      assertThat(PacketRecord.destinationAddressLow(segment, SECOND_RECORD))
          .isEqualTo(0xa8a9aaabacadaeafL);
      assertThat(PacketRecord.sourcePort(segment, SECOND_RECORD)).isEqualTo(0xf00a);
      assertThat(PacketRecord.destinationPort(segment, SECOND_RECORD)).isEqualTo(0xf00b);
      assertThat(PacketRecord.sequence(segment, SECOND_RECORD)).isEqualTo(0xf00c0d0e);
      assertThat(PacketRecord.acknowledgement(segment, SECOND_RECORD)).isEqualTo(0xf0101112);
      assertThat(PacketRecord.tcpWindow(segment, SECOND_RECORD)).isEqualTo(0xf013);
      assertThat(PacketRecord.payloadLength(segment, SECOND_RECORD))
          .isEqualTo(PacketRecordLayout.PAYLOAD_LENGTH_SATURATED);
      assertThat(PacketRecord.protocol(segment, SECOND_RECORD)).isEqualTo(0xf4);
      assertThat(PacketRecord.tcpFlags(segment, SECOND_RECORD)).isEqualTo(0xf5);
      assertThat(PacketRecord.typeOfService(segment, SECOND_RECORD)).isEqualTo(0xf6);
      assertThat(PacketRecord.timeToLive(segment, SECOND_RECORD)).isEqualTo(0xf7);
      assertThat(PacketRecord.descriptor(segment, SECOND_RECORD)).isEqualTo(0xf8191a1b);
    }
  }

  @Property
  void shouldTakeTheDescriptorApart(
      @ForAll @IntRange(max = 524287) int frameLength,
      @ForAll @IntRange(max = 31) int trafficClass,
      @ForAll boolean laterFragment,
      @ForAll @IntRange(max = 1) int ingressPort,
      @ForAll @IntRange(max = 7) int kind,
      @ForAll @IntRange(max = 7) int generation) {
    int descriptor =
        frameLength
            + (trafficClass << 19)
            + (laterFragment ? 1 << 24 : 0)
            + (ingressPort << 25)
            + (kind << 26)
            + (generation << 29);

    assertThat(PacketRecord.frameLength(descriptor)).isEqualTo(frameLength);
    assertThat(PacketRecord.trafficClass(descriptor)).isEqualTo(trafficClass);
    assertThat(PacketRecord.isLaterFragment(descriptor)).isEqualTo(laterFragment);
    assertThat(PacketRecord.ingressPort(descriptor)).isEqualTo(ingressPort);
    assertThat(PacketRecord.kind(descriptor)).isEqualTo(kind);
    assertThat(PacketRecord.generation(descriptor)).isEqualTo(generation);
  }

  @Property
  void shouldRestoreAnyTimeWithinHalfTheRangeOfTheLowWord(
      @ForAll @LongRange(min = 1L << 32) long baseNs,
      @ForAll @IntRange(min = Integer.MIN_VALUE) int stepNs) {
    long timeNs = baseNs + stepNs;

    assertThat(PacketRecord.timeNs((int) timeNs, baseNs)).isEqualTo(timeNs);
  }

  @Test
  void shouldTellKindsApart() {
    List<Integer> kinds = List.of(0, 1, 2, 3, 4, 5, 6, 7);

    assertThat(kinds).filteredOn(PacketRecord::isPacket).containsExactly(1, 2, 3, 4, 5);
    assertThat(kinds).filteredOn(PacketRecord::isIp).containsExactly(1, 2, 4, 5);
    assertThat(kinds).filteredOn(PacketRecord::isIpv4).containsExactly(1, 4);
  }

  @Test
  void shouldStartAgainWithTheFirstGenerationAfterSevenLaps() {
    int slotsLog2 = 10;

    assertThat(PacketRecord.generation(0, slotsLog2)).isEqualTo(1);
    assertThat(PacketRecord.generation(1023, slotsLog2)).isEqualTo(1);
    assertThat(PacketRecord.generation(1024, slotsLog2)).isEqualTo(2);
    assertThat(PacketRecord.generation(7 * 1024 - 1, slotsLog2)).isEqualTo(7);
    assertThat(PacketRecord.generation(7 * 1024, slotsLog2)).isEqualTo(1);
  }
}
