// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.model;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Writes records of packets that a test sends, as {@link PacketRecord} reads them. What is not
 * written stays as it was.
 */
public final class SentRecord {
  private static final ValueLayout.OfShort U16 =
      ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt U32 =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong NETWORK_U64 =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);

  private SentRecord() {}

  public static void write(
      MemorySegment records, long at, FlowTuple flow, long timeNs, int frameLength) {
    write(records, at, flow, FlowHash.of(flow), timeNs, frameLength);
  }

  /** With a hash that need not be the flow's. */
  public static void write(
      MemorySegment records, long at, FlowTuple flow, int flowHash, long timeNs, int frameLength) {
    records.set(U32, at + PacketRecordLayout.TIME_LOW_OFFSET, (int) timeNs);
    records.set(U32, at + PacketRecordLayout.FLOW_HASH_OFFSET, flowHash);
    long source = at + PacketRecordLayout.SOURCE_ADDRESS_OFFSET;
    records.set(NETWORK_U64, source, flow.sourceHigh());
    records.set(NETWORK_U64, source + Long.BYTES, flow.sourceLow());
    long destination = at + PacketRecordLayout.DESTINATION_ADDRESS_OFFSET;
    records.set(NETWORK_U64, destination, flow.destinationHigh());
    records.set(NETWORK_U64, destination + Long.BYTES, flow.destinationLow());
    records.set(U16, at + PacketRecordLayout.SOURCE_PORT_OFFSET, (short) flow.sourcePort());
    records.set(
        U16, at + PacketRecordLayout.DESTINATION_PORT_OFFSET, (short) flow.destinationPort());
    records.set(
        ValueLayout.JAVA_BYTE, at + PacketRecordLayout.PROTOCOL_OFFSET, (byte) flow.protocol());
    int kind = flow.ipv4() ? RecordKind.IPV4 : RecordKind.IPV6;
    records.set(
        U32,
        at + PacketRecordLayout.DESCRIPTOR_OFFSET,
        kind << PacketRecordLayout.KIND_SHIFT | frameLength);
  }

  public static void writeTcpFlags(MemorySegment records, long at, int tcpFlags) {
    records.set(ValueLayout.JAVA_BYTE, at + PacketRecordLayout.TCP_FLAGS_OFFSET, (byte) tcpFlags);
  }

  public static void writePayloadLength(MemorySegment records, long at, int payloadBytes) {
    records.set(U16, at + PacketRecordLayout.PAYLOAD_LENGTH_OFFSET, (short) payloadBytes);
  }
}
