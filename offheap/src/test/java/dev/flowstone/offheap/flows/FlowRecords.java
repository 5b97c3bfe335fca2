// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.flows;

import static dev.flowstone.model.abi.PacketRecordLayout.DESCRIPTOR_OFFSET;
import static dev.flowstone.model.abi.PacketRecordLayout.DESTINATION_ADDRESS_OFFSET;
import static dev.flowstone.model.abi.PacketRecordLayout.DESTINATION_PORT_OFFSET;
import static dev.flowstone.model.abi.PacketRecordLayout.FLOW_HASH_OFFSET;
import static dev.flowstone.model.abi.PacketRecordLayout.KIND_SHIFT;
import static dev.flowstone.model.abi.PacketRecordLayout.PROTOCOL_OFFSET;
import static dev.flowstone.model.abi.PacketRecordLayout.SIZE_BYTES;
import static dev.flowstone.model.abi.PacketRecordLayout.SOURCE_ADDRESS_OFFSET;
import static dev.flowstone.model.abi.PacketRecordLayout.SOURCE_PORT_OFFSET;

import dev.flowstone.model.FlowHash;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;

/** Packets of given flows, as a ring has them. */
final class FlowRecords {
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong ADDRESS =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);

  private final MemorySegment records;
  private final long[] at;

  private FlowRecords(MemorySegment records, long[] at) {
    this.records = records;
    this.at = at;
  }

  MemorySegment records() {
    return records;
  }

  /** Where each lies. */
  long[] at() {
    return at;
  }

  static FlowRecords of(List<FlowTuple> flows) {
    FlowRecords packets = of(flows.size());
    for (int i = 0; i < flows.size(); i++) {
      packets.write(i, flows.get(i), FlowHash.of(flows.get(i)));
    }
    return packets;
  }

  static FlowRecords of(int count) {
    long[] at = new long[count];
    for (int i = 0; i < count; i++) {
      at[i] = i * SIZE_BYTES;
    }
    return new FlowRecords(Arena.ofAuto().allocate(Math.max(1, count) * SIZE_BYTES, 64), at);
  }

  void write(int index, FlowTuple flow, int flowHash) {
    long record = at[index];
    // What no flow is told by must not matter.
    records.asSlice(record, SIZE_BYTES).fill((byte) index);
    records.set(INT, record + FLOW_HASH_OFFSET, flowHash);
    records.set(ADDRESS, record + SOURCE_ADDRESS_OFFSET, flow.sourceHigh());
    records.set(ADDRESS, record + SOURCE_ADDRESS_OFFSET + 8, flow.sourceLow());
    records.set(ADDRESS, record + DESTINATION_ADDRESS_OFFSET, flow.destinationHigh());
    records.set(ADDRESS, record + DESTINATION_ADDRESS_OFFSET + 8, flow.destinationLow());
    records.set(SHORT, record + SOURCE_PORT_OFFSET, (short) flow.sourcePort());
    records.set(SHORT, record + DESTINATION_PORT_OFFSET, (short) flow.destinationPort());
    records.set(ValueLayout.JAVA_BYTE, record + PROTOCOL_OFFSET, (byte) flow.protocol());
    int kind = flow.ipv4() ? RecordKind.IPV4 : RecordKind.IPV6;
    records.set(INT, record + DESCRIPTOR_OFFSET, (kind << KIND_SHIFT) | (index & 0x7ffff));
  }
}
