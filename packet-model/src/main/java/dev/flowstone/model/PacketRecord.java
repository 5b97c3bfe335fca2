// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Reads the fields of a packet record where it lies, without an object.
 *
 * <p>{@code offsetBytes} is where the record starts in the segment and must be a multiple of 8 in
 * memory. Unsigned fields of 8 and 16 bits come as non-negative {@code int}; the 32-bit words come
 * as they are, so compare them with {@link Integer#compareUnsigned} or widen them with {@link
 * Integer#toUnsignedLong}. What a field means stands in {@link PacketRecordLayout}.
 */
public final class PacketRecord {
  private static final ValueLayout.OfShort U16 =
      ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt U32 =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong NETWORK_U64 =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);

  private PacketRecord() {}

  public static int timeLow(MemorySegment segment, long offsetBytes) {
    return segment.get(U32, offsetBytes + PacketRecordLayout.TIME_LOW_OFFSET);
  }

  public static int flowHash(MemorySegment segment, long offsetBytes) {
    return segment.get(U32, offsetBytes + PacketRecordLayout.FLOW_HASH_OFFSET);
  }

  /** The first eight bytes of the source address as a big-endian number; 0 for IPv4. */
  public static long sourceAddressHigh(MemorySegment segment, long offsetBytes) {
    return segment.get(NETWORK_U64, offsetBytes + PacketRecordLayout.SOURCE_ADDRESS_OFFSET);
  }

  /** The last eight bytes of the source address; for IPv4 {@code 0xffff} and the address. */
  public static long sourceAddressLow(MemorySegment segment, long offsetBytes) {
    return segment.get(
        NETWORK_U64, offsetBytes + PacketRecordLayout.SOURCE_ADDRESS_OFFSET + Long.BYTES);
  }

  /** The first eight bytes of the destination address as a big-endian number; 0 for IPv4. */
  public static long destinationAddressHigh(MemorySegment segment, long offsetBytes) {
    return segment.get(NETWORK_U64, offsetBytes + PacketRecordLayout.DESTINATION_ADDRESS_OFFSET);
  }

  /** The last eight bytes of the destination address; for IPv4 {@code 0xffff} and the address. */
  public static long destinationAddressLow(MemorySegment segment, long offsetBytes) {
    return segment.get(
        NETWORK_U64, offsetBytes + PacketRecordLayout.DESTINATION_ADDRESS_OFFSET + Long.BYTES);
  }

  public static int sourcePort(MemorySegment segment, long offsetBytes) {
    return unsignedShort(segment, offsetBytes + PacketRecordLayout.SOURCE_PORT_OFFSET);
  }

  public static int destinationPort(MemorySegment segment, long offsetBytes) {
    return unsignedShort(segment, offsetBytes + PacketRecordLayout.DESTINATION_PORT_OFFSET);
  }

  public static int sequence(MemorySegment segment, long offsetBytes) {
    return segment.get(U32, offsetBytes + PacketRecordLayout.SEQUENCE_OFFSET);
  }

  public static int acknowledgement(MemorySegment segment, long offsetBytes) {
    return segment.get(U32, offsetBytes + PacketRecordLayout.ACKNOWLEDGEMENT_OFFSET);
  }

  public static int tcpWindow(MemorySegment segment, long offsetBytes) {
    return unsignedShort(segment, offsetBytes + PacketRecordLayout.TCP_WINDOW_OFFSET);
  }

  /**
   * May be {@link PacketRecordLayout#PAYLOAD_LENGTH_SATURATED} or {@link
   * PacketRecordLayout#PAYLOAD_LENGTH_UNREADABLE}.
   */
  public static int payloadLength(MemorySegment segment, long offsetBytes) {
    return unsignedShort(segment, offsetBytes + PacketRecordLayout.PAYLOAD_LENGTH_OFFSET);
  }

  public static int protocol(MemorySegment segment, long offsetBytes) {
    return unsignedByte(segment, offsetBytes + PacketRecordLayout.PROTOCOL_OFFSET);
  }

  public static int tcpFlags(MemorySegment segment, long offsetBytes) {
    return unsignedByte(segment, offsetBytes + PacketRecordLayout.TCP_FLAGS_OFFSET);
  }

  public static int typeOfService(MemorySegment segment, long offsetBytes) {
    return unsignedByte(segment, offsetBytes + PacketRecordLayout.TYPE_OF_SERVICE_OFFSET);
  }

  public static int timeToLive(MemorySegment segment, long offsetBytes) {
    return unsignedByte(segment, offsetBytes + PacketRecordLayout.TIME_TO_LIVE_OFFSET);
  }

  /** The word that holds frame length, class, flags, kind and generation. */
  public static int descriptor(MemorySegment segment, long offsetBytes) {
    return segment.get(U32, offsetBytes + PacketRecordLayout.DESCRIPTOR_OFFSET);
  }

  public static int frameLength(int descriptor) {
    return descriptor >>> PacketRecordLayout.FRAME_LENGTH_SHIFT
        & PacketRecordLayout.FRAME_LENGTH_MASK;
  }

  public static int trafficClass(int descriptor) {
    return descriptor >>> PacketRecordLayout.TRAFFIC_CLASS_SHIFT
        & PacketRecordLayout.TRAFFIC_CLASS_MASK;
  }

  public static boolean isLaterFragment(int descriptor) {
    return (descriptor >>> PacketRecordLayout.LATER_FRAGMENT_SHIFT
            & PacketRecordLayout.LATER_FRAGMENT_MASK)
        != 0;
  }

  public static int ingressPort(int descriptor) {
    return descriptor >>> PacketRecordLayout.INGRESS_PORT_SHIFT
        & PacketRecordLayout.INGRESS_PORT_MASK;
  }

  /** One of {@link RecordKind}. */
  public static int kind(int descriptor) {
    return descriptor >>> PacketRecordLayout.KIND_SHIFT & PacketRecordLayout.KIND_MASK;
  }

  public static int generation(int descriptor) {
    return descriptor >>> PacketRecordLayout.GENERATION_SHIFT & PacketRecordLayout.GENERATION_MASK;
  }

  /** The generation that the record at {@code position} of a ring of 2^slotsLog2 slots carries. */
  public static int generation(long position, int slotsLog2) {
    return (int) ((position >>> slotsLog2) % PacketRecordLayout.GENERATIONS) + 1;
  }

  /** Whether the record is of a packet: not TIME, not LOSS, not a slot never written. */
  public static boolean isPacket(int kind) {
    return kind >= RecordKind.IPV4 && kind <= RecordKind.IPV6_ENCAPSULATED;
  }

  /** Whether the record has a 5-tuple. */
  public static boolean isIp(int kind) {
    return isPacket(kind) && kind != RecordKind.OTHER;
  }

  public static boolean isIpv4(int kind) {
    return kind == RecordKind.IPV4 || kind == RecordKind.IPV4_ENCAPSULATED;
  }

  /** The full time of a record; exact while it is less than 2^31 ns away from the base. */
  public static long timeNs(int timeLow, long baseNs) {
    return baseNs + (timeLow - (int) baseNs);
  }

  private static int unsignedShort(MemorySegment segment, long offsetBytes) {
    return Short.toUnsignedInt(segment.get(U16, offsetBytes));
  }

  private static int unsignedByte(MemorySegment segment, long offsetBytes) {
    return Byte.toUnsignedInt(segment.get(ValueLayout.JAVA_BYTE, offsetBytes));
  }
}
