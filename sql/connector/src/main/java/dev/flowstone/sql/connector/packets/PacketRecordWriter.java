// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.packets;

import dev.flowstone.model.FlowHash;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import dev.flowstone.rules.AddressMatch;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * Writes rows as packet records. What a row has no column for, or NULL in it, is as of a packet
 * that has none: without an address it is not of IP. What a record has no room for is refused.
 */
public final class PacketRecordWriter {
  private static final ValueLayout.OfShort U16 =
      ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt U32 =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong NETWORK_U64 =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);
  private static final long NS_PER_MS = 1_000_000;
  private static final int MOST_U8 = 0xff;
  private static final int MOST_U16 = 0xffff;
  private static final long MOST_U32 = 0xffff_ffffL;
  private static final PacketColumn[] FLAGS = {
    PacketColumn.FIN, PacketColumn.SYN, PacketColumn.RST, PacketColumn.PSH, PacketColumn.ACK
  };

  private final Map<PacketColumn, RowData.FieldGetter> getters = new EnumMap<>(PacketColumn.class);
  private RowData row;

  /**
   * @param columns in the row's order; {@code time_ns} or {@code rowtime} must be among them
   */
  public PacketRecordWriter(List<PacketColumn> columns) {
    for (int i = 0; i < columns.size(); i++) {
      LogicalType type = columns.get(i).type().getLogicalType();
      getters.put(columns.get(i), RowData.createFieldGetter(type.copy(true), i));
    }
  }

  /**
   * Returns the packet's time.
   *
   * @throws IllegalArgumentException with the column whose value no packet has
   */
  public long write(RowData next, MemorySegment record) {
    row = next;
    record.fill((byte) 0);
    Optional<AddressMatch> source = address(PacketColumn.SOURCE_ADDRESS);
    Optional<AddressMatch> destination = address(PacketColumn.DESTINATION_ADDRESS);
    boolean isIp = source.isPresent() || destination.isPresent();
    boolean isIpv4 = isIp && source.or(() -> destination).orElseThrow().ipv4();
    requireVersion(isIp, isIpv4);
    source.ifPresent(one -> write(one, isIpv4, record, PacketRecordLayout.SOURCE_ADDRESS_OFFSET));
    destination.ifPresent(
        one -> write(one, isIpv4, record, PacketRecordLayout.DESTINATION_ADDRESS_OFFSET));
    writeShort(record, PacketRecordLayout.SOURCE_PORT_OFFSET, PacketColumn.SOURCE_PORT);
    writeShort(
        record,
        PacketRecordLayout.DESTINATION_PORT_OFFSET,
        isIp ? PacketColumn.DESTINATION_PORT : PacketColumn.ETHER_TYPE);
    writeLayer4(record);
    record.set(U32, PacketRecordLayout.DESCRIPTOR_OFFSET, descriptor(isIp, isIpv4));
    record.set(U32, PacketRecordLayout.FLOW_HASH_OFFSET, flowHash(record));
    long timeNs = timeNs();
    record.set(U32, PacketRecordLayout.TIME_LOW_OFFSET, (int) timeNs);
    return timeNs;
  }

  /** It follows from the addresses, and is not written. */
  private void requireVersion(boolean isIp, boolean isIpv4) {
    if (has(PacketColumn.IP) && !(isIp && number(PacketColumn.IP) == (isIpv4 ? 4 : 6))) {
      String expected = isIp ? (isIpv4 ? "4" : "6") + " by its addresses" : "NULL without address";
      throw refused(PacketColumn.IP, expected, number(PacketColumn.IP));
    }
  }

  private void writeLayer4(MemorySegment record) {
    writeInt(record, PacketRecordLayout.SEQUENCE_OFFSET, PacketColumn.TCP_SEQUENCE);
    writeInt(record, PacketRecordLayout.ACKNOWLEDGEMENT_OFFSET, PacketColumn.TCP_ACKNOWLEDGEMENT);
    writeShort(record, PacketRecordLayout.TCP_WINDOW_OFFSET, PacketColumn.TCP_WINDOW);
    record.set(U16, PacketRecordLayout.PAYLOAD_LENGTH_OFFSET, (short) payloadLength());
    writeByte(record, PacketRecordLayout.PROTOCOL_OFFSET, PacketColumn.PROTOCOL);
    record.set(ValueLayout.JAVA_BYTE, PacketRecordLayout.TCP_FLAGS_OFFSET, (byte) tcpFlags());
    writeByte(record, PacketRecordLayout.TYPE_OF_SERVICE_OFFSET, PacketColumn.TYPE_OF_SERVICE);
    writeByte(record, PacketRecordLayout.TIME_TO_LIVE_OFFSET, PacketColumn.TIME_TO_LIVE);
  }

  private void writeByte(MemorySegment record, long offsetBytes, PacketColumn column) {
    record.set(ValueLayout.JAVA_BYTE, offsetBytes, (byte) number(column, MOST_U8));
  }

  private void writeShort(MemorySegment record, long offsetBytes, PacketColumn column) {
    record.set(U16, offsetBytes, (short) number(column, MOST_U16));
  }

  private void writeInt(MemorySegment record, long offsetBytes, PacketColumn column) {
    record.set(U32, offsetBytes, (int) number(column, MOST_U32));
  }

  /** One more than the most is what stands where there is none. */
  private long payloadLength() {
    return has(PacketColumn.PAYLOAD_LENGTH)
        ? number(PacketColumn.PAYLOAD_LENGTH, PacketRecordLayout.PAYLOAD_LENGTH_SATURATED)
        : PacketRecordLayout.PAYLOAD_LENGTH_UNREADABLE;
  }

  private long tcpFlags() {
    if (has(PacketColumn.TCP_FLAGS)) {
      return number(PacketColumn.TCP_FLAGS, MOST_U8);
    }
    long flags = 0;
    for (int bit = 0; bit < FLAGS.length; bit++) {
      flags |= number(FLAGS[bit]) << bit;
    }
    return flags;
  }

  private int descriptor(boolean isIp, boolean isIpv4) {
    boolean isEncapsulated = number(PacketColumn.ENCAPSULATED) != 0;
    int kind =
        !isIp
            ? RecordKind.OTHER
            : isIpv4
                ? isEncapsulated ? RecordKind.IPV4_ENCAPSULATED : RecordKind.IPV4
                : isEncapsulated ? RecordKind.IPV6_ENCAPSULATED : RecordKind.IPV6;
    return bits(
            PacketColumn.FRAME_LENGTH,
            PacketRecordLayout.FRAME_LENGTH_MASK,
            PacketRecordLayout.FRAME_LENGTH_SHIFT)
        | bits(
            PacketColumn.TRAFFIC_CLASS,
            PacketRecordLayout.TRAFFIC_CLASS_MASK,
            PacketRecordLayout.TRAFFIC_CLASS_SHIFT)
        | bits(
            PacketColumn.LATER_FRAGMENT,
            PacketRecordLayout.LATER_FRAGMENT_MASK,
            PacketRecordLayout.LATER_FRAGMENT_SHIFT)
        | bits(
            PacketColumn.INGRESS_PORT,
            PacketRecordLayout.INGRESS_PORT_MASK,
            PacketRecordLayout.INGRESS_PORT_SHIFT)
        | kind << PacketRecordLayout.KIND_SHIFT;
  }

  private int bits(PacketColumn column, int mask, int shift) {
    return (int) number(column, mask) << shift;
  }

  private int flowHash(MemorySegment record) {
    return has(PacketColumn.FLOW_HASH)
        ? (int) number(PacketColumn.FLOW_HASH, MOST_U32)
        : FlowHash.of(FlowTuple.of(record, 0));
  }

  private long timeNs() {
    return has(PacketColumn.TIME_NS)
        ? number(PacketColumn.TIME_NS, Long.MAX_VALUE)
        : number(PacketColumn.ROWTIME, Long.MAX_VALUE / NS_PER_MS) * NS_PER_MS;
  }

  private boolean has(PacketColumn column) {
    return value(column) != null;
  }

  private Object value(PacketColumn column) {
    RowData.FieldGetter getter = getters.get(column);
    return getter == null ? null : getter.getFieldOrNull(row);
  }

  /** The same, refused where a record has no room for it. */
  private long number(PacketColumn column, long most) {
    long value = number(column);
    if (value < 0 || value > most) {
      throw refused(column, "0 to " + most, value);
    }
    return value;
  }

  private static IllegalArgumentException refused(
      PacketColumn column, String expected, Object value) {
    return new IllegalArgumentException(
        column.columnName() + " must be " + expected + ": " + value);
  }

  /** 0: there is none. */
  private long number(PacketColumn column) {
    return switch (value(column)) {
      case null -> 0;
      case Number number -> number.longValue();
      case Boolean truth -> truth ? 1 : 0;
      case TimestampData time -> time.getMillisecond();
      case Object other -> throw new IllegalStateException(column + " is no number: " + other);
    };
  }

  private Optional<AddressMatch> address(PacketColumn column) {
    return Optional.ofNullable(value(column)).map(text -> address(column, text.toString()));
  }

  private static AddressMatch address(PacketColumn column, String text) {
    AddressMatch address;
    try {
      address = AddressMatch.parse(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(column.columnName() + ": " + e.getMessage(), e);
    }
    if (address.lengthBits() != (address.ipv4() ? Integer.SIZE : 2 * Long.SIZE)) {
      throw refused(column, "one address", text);
    }
    return address;
  }

  private static void write(
      AddressMatch address, boolean isIpv4, MemorySegment record, long offsetBytes) {
    if (address.ipv4() != isIpv4) {
      throw new IllegalArgumentException(
          "a packet has two addresses of IPv4 or two of IPv6, not one of each: " + address);
    }
    record.set(NETWORK_U64, offsetBytes, address.high());
    record.set(NETWORK_U64, offsetBytes + Long.BYTES, address.low());
  }
}
