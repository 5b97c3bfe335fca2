// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.anomaly;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.model.FlowHash;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A packet that a test sends, and blocks of it as a ring has them. */
record TestPacket(
    long timeNs, long stream, long position, FlowTuple flow, int tcpFlags, int payloadLength) {
  static final int TCP = 6;
  static final int UDP = 17;
  static final int SYN = 2;
  static final int RST = 4;
  static final int ACK = 16;

  private static final int HEADER_BYTES = 54;
  private static final long MOST_OFF_BASE_NS = 1_000_000_000;
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong ADDRESS =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);

  TestPacket at(long newTimeNs, long newStream, long newPosition) {
    return new TestPacket(newTimeNs, newStream, newPosition, flow, tcpFlags, payloadLength);
  }

  int frameLength() {
    return HEADER_BYTES + payloadLength;
  }

  /** Of one stream, in the order of their positions; as many blocks as times and positions need. */
  static void blocks(List<TestPacket> packets, Consumer<PacketBlock> taker) {
    List<TestPacket> run = new ArrayList<>();
    for (TestPacket packet : packets) {
      if (!run.isEmpty()
          && (Math.abs(packet.timeNs - run.getFirst().timeNs) >= MOST_OFF_BASE_NS
              || packet.position != run.getLast().position + 1
              || run.size() == PacketBlock.MOST_RECORDS)) {
        taker.accept(block(run));
        run.clear();
      }
      run.add(packet);
    }
    if (!run.isEmpty()) {
      taker.accept(block(run));
    }
  }

  private static PacketBlock block(List<TestPacket> packets) {
    MemorySegment records = Arena.ofAuto().allocate(packets.size() * 64L, 64);
    for (int i = 0; i < packets.size(); i++) {
      packets.get(i).write(records, i * 64L);
    }
    TestPacket first = packets.getFirst();
    PacketBlockOrigin origin =
        new PacketBlockOrigin(first.stream, 1, first.position, first.timeNs, true);
    return PacketBlock.of(origin, records, 0, packets.size(), PacketLoss.NONE);
  }

  private void write(MemorySegment records, long at) {
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
    records.set(SHORT, at + PacketRecordLayout.PAYLOAD_LENGTH_OFFSET, (short) payloadLength);
    records.set(
        ValueLayout.JAVA_BYTE, at + PacketRecordLayout.PROTOCOL_OFFSET, (byte) flow.protocol());
    records.set(ValueLayout.JAVA_BYTE, at + PacketRecordLayout.TCP_FLAGS_OFFSET, (byte) tcpFlags);
    int kind = flow.ipv4() ? RecordKind.IPV4 : RecordKind.IPV6;
    records.set(
        INT,
        at + PacketRecordLayout.DESCRIPTOR_OFFSET,
        (kind << PacketRecordLayout.KIND_SHIFT) | frameLength());
  }
}
