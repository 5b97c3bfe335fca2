// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.model.FlowHash;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;

/** What a test sends, and blocks of it as a ring has them. */
public record SentPacket(FlowTuple flow, long timeNs, int frameLength, int tcpFlags) {
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong ADDRESS =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);

  /** A flow for each number. */
  public static FlowTuple flow(int number) {
    return FlowTuple.ipv4(0x0a00_0000 | number >>> 8, 0x0b00_0001, number & 0xff, 443, 6);
  }

  static int keyGroup(FlowTuple flow, int keyGroups) {
    return KeyGroups.keyGroup(FlowHash.of(flow), keyGroups);
  }

  /** Their times less than two seconds from the first one's. */
  public static PacketBlock block(List<SentPacket> packets) {
    MemorySegment records = Arena.ofAuto().allocate(packets.size() * 64L, 64);
    for (int i = 0; i < packets.size(); i++) {
      packets.get(i).write(records, i * 64L);
    }
    PacketBlockOrigin origin = new PacketBlockOrigin(7, 1, 0, packets.getFirst().timeNs(), true);
    return PacketBlock.of(origin, records, 0, packets.size(), PacketLoss.NONE);
  }

  public void write(MemorySegment records, long at) {
    records.set(INT, at + PacketRecordLayout.TIME_LOW_OFFSET, (int) timeNs);
    records.set(INT, at + PacketRecordLayout.FLOW_HASH_OFFSET, FlowHash.of(flow));
    long source = at + PacketRecordLayout.SOURCE_ADDRESS_OFFSET;
    records.set(ADDRESS, source, flow.sourceHigh());
    records.set(ADDRESS, source + 8, flow.sourceLow());
    records.set(ADDRESS, source + 16, flow.destinationHigh());
    records.set(ADDRESS, source + 24, flow.destinationLow());
    records.set(SHORT, at + PacketRecordLayout.SOURCE_PORT_OFFSET, (short) flow.sourcePort());
    records.set(
        SHORT, at + PacketRecordLayout.DESTINATION_PORT_OFFSET, (short) flow.destinationPort());
    records.set(
        ValueLayout.JAVA_BYTE, at + PacketRecordLayout.PROTOCOL_OFFSET, (byte) flow.protocol());
    records.set(ValueLayout.JAVA_BYTE, at + PacketRecordLayout.TCP_FLAGS_OFFSET, (byte) tcpFlags);
    int kind = flow.ipv4() ? RecordKind.IPV4 : RecordKind.IPV6;
    records.set(
        INT,
        at + PacketRecordLayout.DESCRIPTOR_OFFSET,
        (kind << PacketRecordLayout.KIND_SHIFT) | frameLength);
  }
}
