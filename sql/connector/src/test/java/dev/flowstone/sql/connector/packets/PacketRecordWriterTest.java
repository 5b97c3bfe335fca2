// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.packets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.model.abi.PacketRecordLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What rows say, packets say, or nothing. */
class PacketRecordWriterTest {
  private static final int TCP = 6;

  /** Of a packet of TCP over IPv4. */
  private static final Map<PacketColumn, Object> USUAL =
      Map.of(
          PacketColumn.TIME_NS,
          1_000L,
          PacketColumn.SOURCE_ADDRESS,
          StringData.fromString("10.0.0.1"),
          PacketColumn.DESTINATION_ADDRESS,
          StringData.fromString("10.0.0.2"),
          PacketColumn.PROTOCOL,
          TCP,
          PacketColumn.FRAME_LENGTH,
          60);

  private final MemorySegment record =
      Arena.ofAuto().allocate(PacketRecordLayout.SIZE_BYTES, PacketRecordLayout.SIZE_BYTES);

  private long write(Map<PacketColumn, Object> values) {
    List<PacketColumn> columns = new ArrayList<>(values.keySet());
    return new PacketRecordWriter(columns)
        .write(GenericRowData.of(columns.stream().map(values::get).toArray()), record);
  }

  private static Map<PacketColumn, Object> usualBut(PacketColumn column, Object value) {
    Map<PacketColumn, Object> values = new EnumMap<>(USUAL);
    switch (column) {
      case ROWTIME -> values.remove(PacketColumn.TIME_NS);
      case ETHER_TYPE ->
          values
              .keySet()
              .removeAll(Set.of(PacketColumn.SOURCE_ADDRESS, PacketColumn.DESTINATION_ADDRESS));
      default -> {}
    }
    values.put(column, value);
    return values;
  }

  /** As Flink has a number in a column of that type. */
  private static Object typed(PacketColumn column, long value) {
    LogicalTypeRoot type = column.type().getLogicalType().getTypeRoot();
    return switch (type) {
      case INTEGER -> Math.toIntExact(value);
      case BIGINT -> value;
      case TIMESTAMP_WITH_LOCAL_TIME_ZONE -> TimestampData.fromEpochMillis(value);
      default -> throw new IllegalStateException(column + " is " + type);
    };
  }

  private static long most(PacketColumn column) {
    return switch (column) {
      case ROWTIME -> 9_223_372_036_854L;
      case SOURCE_PORT, DESTINATION_PORT, ETHER_TYPE, TCP_WINDOW -> 65_535;
      case PROTOCOL, TCP_FLAGS, TYPE_OF_SERVICE, TIME_TO_LIVE -> 255;
      case TCP_SEQUENCE, TCP_ACKNOWLEDGEMENT, FLOW_HASH -> 4_294_967_295L;
      case FRAME_LENGTH -> 524_287;
      case PAYLOAD_LENGTH -> 65_534;
      case INGRESS_PORT -> 1;
      case TRAFFIC_CLASS -> 31;
      default -> throw new IllegalStateException("how much has a packet of " + column + "?");
    };
  }

  /** All numbers, but for two that have tests of their own. */
  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {
        "TIME_NS",
        "IP",
        "SOURCE_ADDRESS",
        "DESTINATION_ADDRESS",
        "FIN",
        "SYN",
        "RST",
        "PSH",
        "ACK",
        "LATER_FRAGMENT",
        "ENCAPSULATED"
      })
  void shouldWriteAllThatAPacketHasRoomForAndRefuseMore(PacketColumn column) {
    long most = most(column);
    long timeNs = write(usualBut(column, typed(column, most)));
    assertThat(column.isPresent(record, 0)).isTrue();
    assertThat(column.number(record, 0, timeNs)).isEqualTo(most);
    requireRefused(column, most + 1, most);
    requireRefused(column, -1, most);
  }

  private void requireRefused(PacketColumn column, long value, long most) {
    assertThatThrownBy(() -> write(usualBut(column, typed(column, value))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("%s must be 0 to %d: %d".formatted(column.columnName(), most, value));
  }

  @Test
  void shouldRefuseATimeBefore1970() {
    assertThatThrownBy(() -> write(usualBut(PacketColumn.TIME_NS, -1L)))
        .hasMessage("time_ns must be 0 to 9223372036854775807: -1");
    assertThat(write(usualBut(PacketColumn.TIME_NS, Long.MAX_VALUE))).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldRefuseAnotherVersionThanTheAddressesHave() {
    write(usualBut(PacketColumn.IP, 4));
    assertThat(PacketColumn.IP.number(record, 0, 0)).isEqualTo(4);
    assertThatThrownBy(() -> write(usualBut(PacketColumn.IP, 6)))
        .hasMessage("ip must be 4 by its addresses: 6");
    assertThatThrownBy(() -> write(Map.of(PacketColumn.TIME_NS, 1_000L, PacketColumn.IP, 4)))
        .hasMessage("ip must be NULL without address: 4");
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8, source_address must be one address: 10.0.0.0/8",
    "2001:db8::/32, source_address must be one address: 2001:db8::/32",
    "localhost, 'source_address: not an address, such as '",
    "2001:db8::1, a packet has two addresses of IPv4 or two of IPv6",
  })
  void shouldRefuseWhatIsNoAddressOfThePacket(String address, String words) {
    assertThatThrownBy(
            () -> write(usualBut(PacketColumn.SOURCE_ADDRESS, StringData.fromString(address))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(words);
  }
}
