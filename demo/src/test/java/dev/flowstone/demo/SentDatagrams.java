// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Datagrams of a test, as records one after the other. */
public final class SentDatagrams {
  private static final int UDP = 17;
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong ADDRESS =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);

  private record Datagram(FlowTuple flow, long timeNs, int frameLength) {}

  private final List<Datagram> sent = new ArrayList<>();

  /** A flow for each number up to 65,535: from 192.0.2.1 to 192.0.2.2. */
  public static FlowTuple flow(int number) {
    return FlowTuple.ipv4(0xc0000201, 0xc0000202, number, 5001, UDP);
  }

  public SentDatagrams send(int flow, long timeNs, int frameLength) {
    sent.add(new Datagram(flow(flow), timeNs, frameLength));
    return this;
  }

  public int count() {
    return sent.size();
  }

  public MemorySegment records() {
    MemorySegment records =
        Arena.ofAuto().allocate(sent.size() * PacketRecordLayout.SIZE_BYTES, 64);
    for (int i = 0; i < sent.size(); i++) {
      write(sent.get(i), records, i * PacketRecordLayout.SIZE_BYTES);
    }
    return records;
  }

  private static void write(Datagram datagram, MemorySegment records, long at) {
    FlowTuple flow = datagram.flow();
    records.set(INT, at + PacketRecordLayout.TIME_LOW_OFFSET, (int) datagram.timeNs());
    long addresses = at + PacketRecordLayout.SOURCE_ADDRESS_OFFSET;
    records.set(ADDRESS, addresses + 8, flow.sourceLow());
    records.set(ADDRESS, addresses + 24, flow.destinationLow());
    records.set(SHORT, at + PacketRecordLayout.SOURCE_PORT_OFFSET, (short) flow.sourcePort());
    records.set(
        SHORT, at + PacketRecordLayout.DESTINATION_PORT_OFFSET, (short) flow.destinationPort());
    records.set(
        ValueLayout.JAVA_BYTE, at + PacketRecordLayout.PROTOCOL_OFFSET, (byte) flow.protocol());
    records.set(
        INT,
        at + PacketRecordLayout.DESCRIPTOR_OFFSET,
        (RecordKind.IPV4 << PacketRecordLayout.KIND_SHIFT) | datagram.frameLength());
  }
}
