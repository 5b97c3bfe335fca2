// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/** Writes through the generated memory layout, reads through the accessors. */
class PacketRecordTest {
  private static final long SECOND_RECORD = PacketRecordLayout.SIZE_BYTES;

  private static void set(MemorySegment segment, String field, Object value) {
    VarHandle handle = PacketRecordLayout.LAYOUT.varHandle(PathElement.groupElement(field));
    if (value instanceof Integer word) {
      handle.set(segment, SECOND_RECORD, (int) word);
    } else if (value instanceof Short half) {
      handle.set(segment, SECOND_RECORD, (short) half);
    } else {
      handle.set(segment, SECOND_RECORD, (byte) value);
    }
  }

  private static void setAddress(MemorySegment segment, String field, int first) {
    VarHandle handle =
        PacketRecordLayout.LAYOUT.varHandle(
            PathElement.groupElement(field), PathElement.sequenceElement());
    for (int index = 0; index < 16; index++) {
      handle.set(segment, SECOND_RECORD, (long) index, (byte) (first + index));
    }
  }

  @Test
  void shouldReadEveryFieldFromItsPlace() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment segment = arena.allocate(2 * PacketRecordLayout.SIZE_BYTES, 8);
      set(segment, "time_low", 0xf1020304);
      set(segment, "flow_hash", 0xf5060708);
      setAddress(segment, "source_address", 0x80);
      setAddress(segment, "destination_address", 0xa0);
      set(segment, "source_port", (short) 0xf00a);
      set(segment, "destination_port", (short) 0xf00b);
      set(segment, "sequence", 0xf00c0d0e);
      set(segment, "acknowledgement", 0xf0101112);
      set(segment, "tcp_window", (short) 0xf013);
      set(segment, "payload_length", (short) 0xfffe);
      set(segment, "protocol", (byte) 0xf4);
      set(segment, "tcp_flags", (byte) 0xf5);
      set(segment, "type_of_service", (byte) 0xf6);
      set(segment, "time_to_live", (byte) 0xf7);
      set(segment, "descriptor", 0xf8191a1b);

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
          .isEqualTo(PacketRecord.PAYLOAD_LENGTH_SATURATED);
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
    assertThat(RecordKind.nameOf(5)).isEqualTo("ipv6_encapsulated");
    assertThat(RecordKind.nameOf(9)).isEqualTo("unknown (9)");
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
