// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.traffic;

import dev.flowstone.inspect.count.InspectLimits;
import dev.flowstone.inspect.count.PacketCounter;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.SentRecord;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RawPacketFlag;
import dev.flowstone.model.abi.RecordKind;
import dev.flowstone.raw.RawPacketBatch;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Records made by hand, and their packets' times. */
public final class TestRecords {
  public static final int SYN = 0x02;
  public static final int ACK = 0x10;

  /** More than any test needs. */
  public static final InspectLimits LIMITS = new InspectLimits(100_000, 100_000, 100_000);

  private static final int MOST = 64;
  private static final int HOSTS = 0x0a00_0000;
  private static final int TCP = 6;
  private static final ValueLayout.OfShort U16 =
      ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt U32 =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final MemorySegment segment =
      Arena.ofAuto().allocate(MOST * PacketRecordLayout.SIZE_BYTES, 64);
  private final long[] timesNs = new long[MOST];
  private int count;

  /** TCP over IPv4 between hosts 10.0.0.{source} and 10.0.0.{destination}. */
  TestRecords tcp(long timeNs, int source, int sourcePort, int destination, int port, int flags) {
    timesNs[count] = timeNs;
    long offset = count++ * PacketRecordLayout.SIZE_BYTES;
    FlowTuple flow = FlowTuple.ipv4(HOSTS | source, HOSTS | destination, sourcePort, port, TCP);
    SentRecord.write(segment, offset, flow, timeNs, 60);
    SentRecord.writeTcpFlags(segment, offset, flags);
    return this;
  }

  TestRecords other(int reason, int number, int frameLength) {
    long offset = count++ * PacketRecordLayout.SIZE_BYTES;
    segment.set(
        U32,
        offset + PacketRecordLayout.DESCRIPTOR_OFFSET,
        frameLength | RecordKind.OTHER << PacketRecordLayout.KIND_SHIFT);
    segment.set(U16, offset + PacketRecordLayout.SOURCE_PORT_OFFSET, (short) reason);
    segment.set(U16, offset + PacketRecordLayout.DESTINATION_PORT_OFFSET, (short) number);
    return this;
  }

  void addTo(PacketCounter counter) {
    addTo(counter, 0);
  }

  /** As packets whose time the capture does not tell. */
  void addUntimedTo(PacketCounter counter) {
    addTo(counter, RawPacketFlag.UNTIMED);
  }

  private void addTo(PacketCounter counter, int flags) {
    try (RawPacketBatch packets = new RawPacketBatch(MOST)) {
      for (int i = 0; i < count; i++) {
        packets.append(0, timesNs[i], 0, 0, 1, flags);
      }
      counter.add(packets, segment);
    }
  }

  TrafficSummary summary() {
    TrafficCounter counter = new TrafficCounter(TestRecords.LIMITS);
    addTo(counter);
    return counter.summary();
  }
}
