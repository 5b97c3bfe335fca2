// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.packets;

import dev.flowstone.model.AddressText;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.types.DataType;

/**
 * What a table may know of a packet. Numbers are INT, so that literals need no cast, but for those
 * that do not fit. Without IP there are no addresses, ports and protocol; without TCP no sequence
 * numbers and no window.
 */
public enum PacketColumn {
  /** In milliseconds, as Flink's time attributes are. */
  ROWTIME(DataTypes.TIMESTAMP_LTZ(3), Presence.ALWAYS),
  /** Nanoseconds since 1970, UTC. */
  TIME_NS(DataTypes.BIGINT(), Presence.ALWAYS),
  /** 4 or 6. */
  IP(DataTypes.INT(), Presence.OF_IP),
  SOURCE_ADDRESS(DataTypes.STRING(), Presence.OF_IP),
  DESTINATION_ADDRESS(DataTypes.STRING(), Presence.OF_IP),
  SOURCE_PORT(DataTypes.INT(), Presence.OF_IP),
  DESTINATION_PORT(DataTypes.INT(), Presence.OF_IP),
  PROTOCOL(DataTypes.INT(), Presence.OF_IP),
  /** What an Ethernet frame says is in it. */
  ETHER_TYPE(DataTypes.INT(), Presence.OF_OTHERS),
  /** A bit for each, from FIN, 1, to CWR, 128. */
  TCP_FLAGS(DataTypes.INT(), Presence.OF_TCP),
  FIN(DataTypes.BOOLEAN(), Presence.OF_TCP),
  SYN(DataTypes.BOOLEAN(), Presence.OF_TCP),
  RST(DataTypes.BOOLEAN(), Presence.OF_TCP),
  PSH(DataTypes.BOOLEAN(), Presence.OF_TCP),
  ACK(DataTypes.BOOLEAN(), Presence.OF_TCP),
  TCP_SEQUENCE(DataTypes.BIGINT(), Presence.OF_TCP),
  TCP_ACKNOWLEDGEMENT(DataTypes.BIGINT(), Presence.OF_TCP),
  TCP_WINDOW(DataTypes.INT(), Presence.OF_TCP),
  /** Bytes on the wire. */
  FRAME_LENGTH(DataTypes.INT(), Presence.ALWAYS),
  /** Bytes of layer 4; 65534 means that or more. */
  PAYLOAD_LENGTH(DataTypes.INT(), Presence.WHERE_READABLE),
  /** Of IPv4, or traffic class of IPv6. */
  TYPE_OF_SERVICE(DataTypes.INT(), Presence.OF_IP),
  /** Of IPv4, or hop limit of IPv6. */
  TIME_TO_LIVE(DataTypes.INT(), Presence.OF_IP),
  /** Whether it is a fragment after the first, which has no ports. */
  LATER_FRAGMENT(DataTypes.BOOLEAN(), Presence.ALWAYS),
  /** Whether it came below MPLS, PPPoE or several VLAN tags. */
  ENCAPSULATED(DataTypes.BOOLEAN(), Presence.OF_IP),
  /** Port of the card that the packet came by. */
  INGRESS_PORT(DataTypes.INT(), Presence.ALWAYS),
  /** Rule of the tap that the packet matched. */
  TRAFFIC_CLASS(DataTypes.INT(), Presence.ALWAYS),
  /** The same for both directions of a flow; 0 without IP. */
  FLOW_HASH(DataTypes.BIGINT(), Presence.ALWAYS);

  private static final int TCP = 6;
  private static final long NS_PER_MS = 1_000_000;

  /** Which packets have a value. */
  public enum Presence {
    ALWAYS,
    OF_IP,
    OF_OTHERS,
    OF_TCP,
    WHERE_READABLE
  }

  @SuppressWarnings("ImmutableEnumChecker") // is immutable, but does not say so
  private final DataType type;

  private final Presence presence;

  PacketColumn(DataType type, Presence presence) {
    this.type = type;
    this.presence = presence;
  }

  /** The column of that name, if there is one. */
  public static Optional<PacketColumn> named(String name) {
    return Arrays.stream(values()).filter(column -> column.columnName().equals(name)).findAny();
  }

  /** The column of a name that is one's. */
  public static PacketColumn of(String name) {
    return named(name).orElseThrow(() -> new IllegalArgumentException("no column: " + name));
  }

  /** All columns by name, with their types. */
  public static Map<String, DataType> types() {
    Map<String, DataType> types = new LinkedHashMap<>();
    for (PacketColumn column : values()) {
      types.put(column.columnName(), column.type());
    }
    return types;
  }

  public String columnName() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Nullable unless every packet has it. */
  public DataType type() {
    return presence == Presence.ALWAYS ? type.notNull() : type;
  }

  public Presence presence() {
    return presence;
  }

  public boolean isAddress() {
    return this == SOURCE_ADDRESS || this == DESTINATION_ADDRESS;
  }

  /** Its bit of {@link #TCP_FLAGS}, if it is one of them. */
  public OptionalInt tcpFlag() {
    return switch (this) {
      case FIN -> OptionalInt.of(1);
      case SYN -> OptionalInt.of(1 << 1);
      case RST -> OptionalInt.of(1 << 2);
      case PSH -> OptionalInt.of(1 << 3);
      case ACK -> OptionalInt.of(1 << 4);
      default -> OptionalInt.empty();
    };
  }

  /** Whether the packet has a value. */
  public boolean isPresent(MemorySegment records, long at) {
    return switch (presence) {
      case ALWAYS -> true;
      case OF_IP -> isIp(records, at);
      case OF_OTHERS -> !isIp(records, at);
      case OF_TCP -> PacketRecord.protocol(records, at) == TCP && isIp(records, at);
      case WHERE_READABLE ->
          PacketRecord.payloadLength(records, at) != PacketRecordLayout.PAYLOAD_LENGTH_UNREADABLE;
    };
  }

  private static boolean isIp(MemorySegment records, long at) {
    return PacketRecord.isIp(PacketRecord.kind(PacketRecord.descriptor(records, at)));
  }

  /**
   * A number, or 1 for true.
   *
   * @param baseNs of the packet's block
   */
  public long number(MemorySegment records, long at, long baseNs) {
    return switch (this) {
      case ROWTIME -> Math.floorDiv(timeNs(records, at, baseNs), NS_PER_MS);
      case TIME_NS -> timeNs(records, at, baseNs);
      case IP ->
          PacketRecord.isIpv4(PacketRecord.kind(PacketRecord.descriptor(records, at))) ? 4 : 6;
      case SOURCE_PORT -> PacketRecord.sourcePort(records, at);
      case DESTINATION_PORT, ETHER_TYPE -> PacketRecord.destinationPort(records, at);
      case PROTOCOL -> PacketRecord.protocol(records, at);
      case TCP_FLAGS -> PacketRecord.tcpFlags(records, at);
      case FIN -> PacketRecord.tcpFlags(records, at) & 1;
      case SYN -> PacketRecord.tcpFlags(records, at) >> 1 & 1;
      case RST -> PacketRecord.tcpFlags(records, at) >> 2 & 1;
      case PSH -> PacketRecord.tcpFlags(records, at) >> 3 & 1;
      case ACK -> PacketRecord.tcpFlags(records, at) >> 4 & 1;
      case TCP_SEQUENCE -> Integer.toUnsignedLong(PacketRecord.sequence(records, at));
      case TCP_ACKNOWLEDGEMENT -> Integer.toUnsignedLong(PacketRecord.acknowledgement(records, at));
      case TCP_WINDOW -> PacketRecord.tcpWindow(records, at);
      case FRAME_LENGTH -> PacketRecord.frameLength(PacketRecord.descriptor(records, at));
      case PAYLOAD_LENGTH -> PacketRecord.payloadLength(records, at);
      case TYPE_OF_SERVICE -> PacketRecord.typeOfService(records, at);
      case TIME_TO_LIVE -> PacketRecord.timeToLive(records, at);
      case LATER_FRAGMENT ->
          PacketRecord.isLaterFragment(PacketRecord.descriptor(records, at)) ? 1 : 0;
      case ENCAPSULATED ->
          PacketRecord.kind(PacketRecord.descriptor(records, at)) >= RecordKind.IPV4_ENCAPSULATED
              ? 1
              : 0;
      case INGRESS_PORT -> PacketRecord.ingressPort(PacketRecord.descriptor(records, at));
      case TRAFFIC_CLASS -> PacketRecord.trafficClass(PacketRecord.descriptor(records, at));
      case FLOW_HASH -> Integer.toUnsignedLong(PacketRecord.flowHash(records, at));
      case SOURCE_ADDRESS, DESTINATION_ADDRESS ->
          throw new IllegalStateException(columnName() + " is no number of a record");
    };
  }

  private static long timeNs(MemorySegment records, long at, long baseNs) {
    return PacketRecord.timeNs(PacketRecord.timeLow(records, at), baseNs);
  }

  /** The first eight bytes of an address. */
  public long addressHigh(MemorySegment records, long at) {
    return this == SOURCE_ADDRESS
        ? PacketRecord.sourceAddressHigh(records, at)
        : PacketRecord.destinationAddressHigh(records, at);
  }

  /** The last eight bytes of an address. */
  public long addressLow(MemorySegment records, long at) {
    return this == SOURCE_ADDRESS
        ? PacketRecord.sourceAddressLow(records, at)
        : PacketRecord.destinationAddressLow(records, at);
  }

  public String addressText(MemorySegment records, long at) {
    return AddressText.of(
        addressHigh(records, at),
        addressLow(records, at),
        PacketRecord.isIpv4(PacketRecord.kind(PacketRecord.descriptor(records, at))));
  }
}
