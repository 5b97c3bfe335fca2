// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.packets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Writes bytes where the page of the packet record says, and reads columns. */
class PacketColumnTest {
  private static final int TCP = 6;
  private static final int UDP = 17;
  private static final long BASE_NS = 1_700_000_000_000_000_000L;

  private final MemorySegment record =
      Arena.ofAuto().allocate(PacketRecordLayout.SIZE_BYTES, PacketRecordLayout.SIZE_BYTES);

  private void write(int kind, int protocol) {
    record.fill((byte) 0);
    ByteBuffer bytes = record.asByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
    bytes.putInt(0, (int) (BASE_NS + 1_234_567)).putInt(4, 0xf506_0708);
    if (kind == RecordKind.IPV6 || kind == RecordKind.IPV6_ENCAPSULATED) {
      bytes.put(8, (byte) 0x20).put(9, (byte) 0x01).put(23, (byte) 1);
      bytes.put(24, (byte) 0x20).put(25, (byte) 0x01).put(39, (byte) 2);
    } else {
      bytes.put(18, (byte) 0xff).put(19, (byte) 0xff).put(20, (byte) 10).put(23, (byte) 1);
      bytes.put(34, (byte) 0xff).put(35, (byte) 0xff).put(36, (byte) 10).put(39, (byte) 2);
    }
    bytes.putShort(40, (short) 0xf00a).putShort(42, (short) 0xf00b);
    bytes.putInt(44, 0xf00c_0d0e).putInt(48, 0xf010_1112);
    bytes.putShort(52, (short) 0xf013).putShort(54, (short) 1_460);
    bytes.put(56, (byte) protocol).put(57, (byte) 0x12).put(58, (byte) 0xf6).put(59, (byte) 0xf7);
    bytes.putInt(60, 1_514 + (17 << 19) + (1 << 24) + (1 << 25) + (kind << 26));
  }

  private Set<PacketColumn> present() {
    return Arrays.stream(PacketColumn.values())
        .filter(column -> column.isPresent(record, 0))
        .collect(Collectors.toCollection(() -> EnumSet.noneOf(PacketColumn.class)));
  }

  @Test
  void shouldReadEveryField() {
    write(RecordKind.IPV4, TCP);
    Map<PacketColumn, Long> expected =
        Map.ofEntries(
            Map.entry(PacketColumn.ROWTIME, BASE_NS / 1_000_000 + 1),
            Map.entry(PacketColumn.TIME_NS, BASE_NS + 1_234_567),
            Map.entry(PacketColumn.IP, 4L),
            Map.entry(PacketColumn.SOURCE_PORT, 0xf00aL),
            Map.entry(PacketColumn.DESTINATION_PORT, 0xf00bL),
            Map.entry(PacketColumn.PROTOCOL, 6L),
            Map.entry(PacketColumn.TCP_FLAGS, 0x12L),
            Map.entry(PacketColumn.FIN, 0L),
            Map.entry(PacketColumn.SYN, 1L),
            Map.entry(PacketColumn.RST, 0L),
            Map.entry(PacketColumn.PSH, 0L),
            Map.entry(PacketColumn.ACK, 1L),
            Map.entry(PacketColumn.TCP_SEQUENCE, 0xf00c_0d0eL),
            Map.entry(PacketColumn.TCP_ACKNOWLEDGEMENT, 0xf010_1112L),
            Map.entry(PacketColumn.TCP_WINDOW, 0xf013L),
            Map.entry(PacketColumn.FRAME_LENGTH, 1_514L),
            Map.entry(PacketColumn.PAYLOAD_LENGTH, 1_460L),
            Map.entry(PacketColumn.TYPE_OF_SERVICE, 0xf6L),
            Map.entry(PacketColumn.TIME_TO_LIVE, 0xf7L),
            Map.entry(PacketColumn.LATER_FRAGMENT, 1L),
            Map.entry(PacketColumn.ENCAPSULATED, 0L),
            Map.entry(PacketColumn.INGRESS_PORT, 1L),
            Map.entry(PacketColumn.TRAFFIC_CLASS, 17L),
            Map.entry(PacketColumn.FLOW_HASH, 0xf506_0708L));
    expected.forEach(
        (column, value) ->
            assertThat(column.number(record, 0, BASE_NS)).as(column.name()).isEqualTo(value));
    assertThat(PacketColumn.SOURCE_ADDRESS.addressText(record, 0)).isEqualTo("10.0.0.1");
    assertThat(PacketColumn.DESTINATION_ADDRESS.addressText(record, 0)).isEqualTo("10.0.0.2");
  }

  @Test
  void shouldKnowWhatAPacketHas() {
    Set<PacketColumn> ofTcp = EnumSet.range(PacketColumn.TCP_FLAGS, PacketColumn.TCP_WINDOW);
    write(RecordKind.IPV4, TCP);
    assertThat(present()).containsAll(ofTcp).doesNotContain(PacketColumn.ETHER_TYPE);
    write(RecordKind.IPV6_ENCAPSULATED, UDP);
    assertThat(present())
        .doesNotContainAnyElementsOf(ofTcp)
        .contains(PacketColumn.SOURCE_PORT, PacketColumn.PAYLOAD_LENGTH);
    assertThat(PacketColumn.IP.number(record, 0, 0)).isEqualTo(6);
    assertThat(PacketColumn.ENCAPSULATED.number(record, 0, 0)).isOne();
    assertThat(PacketColumn.DESTINATION_ADDRESS.addressText(record, 0)).isEqualTo("2001::2");
    write(RecordKind.OTHER, TCP);
    assertThat(present())
        .containsExactlyInAnyOrder(
            PacketColumn.ROWTIME,
            PacketColumn.TIME_NS,
            PacketColumn.ETHER_TYPE,
            PacketColumn.FRAME_LENGTH,
            PacketColumn.PAYLOAD_LENGTH,
            PacketColumn.LATER_FRAGMENT,
            PacketColumn.INGRESS_PORT,
            PacketColumn.TRAFFIC_CLASS,
            PacketColumn.FLOW_HASH);
  }

  @Test
  void shouldHaveNoPayloadLengthWhereNobodyCouldReadIt() {
    write(RecordKind.IPV4, UDP);
    record.set(
        ValueLayout.JAVA_SHORT,
        PacketRecordLayout.PAYLOAD_LENGTH_OFFSET,
        (short) PacketRecordLayout.PAYLOAD_LENGTH_UNREADABLE);
    assertThat(PacketColumn.PAYLOAD_LENGTH.isPresent(record, 0)).isFalse();
  }
}
