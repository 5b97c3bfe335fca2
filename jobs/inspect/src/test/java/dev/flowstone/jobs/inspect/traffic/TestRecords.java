// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect.traffic;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockOrigin;
import dev.flowstone.jobs.inspect.count.InspectLimits;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.SentRecord;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** A block of records made by hand; the times are those of one base. */
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
  private final long baseNs;
  private int count;

  TestRecords(long baseNs) {
    this.baseNs = baseNs;
  }

  /** TCP over IPv4 between hosts 10.0.0.{source} and 10.0.0.{destination}. */
  TestRecords tcp(long timeNs, int source, int sourcePort, int destination, int port, int flags) {
    long offset = count++ * PacketRecordLayout.SIZE_BYTES;
    FlowTuple flow = FlowTuple.ipv4(HOSTS | source, HOSTS | destination, sourcePort, port, TCP);
    SentRecord.write(segment, offset, flow, timeNs, 60);
    SentRecord.writeTcpFlags(segment, offset, flags);
    return this;
  }

  TestRecords other(int reason, int number, int frameLength) {
    long offset = count++ * PacketRecordLayout.SIZE_BYTES;
    segment.set(U32, offset + PacketRecordLayout.TIME_LOW_OFFSET, (int) baseNs);
    segment.set(
        U32,
        offset + PacketRecordLayout.DESCRIPTOR_OFFSET,
        frameLength | RecordKind.OTHER << PacketRecordLayout.KIND_SHIFT);
    segment.set(U16, offset + PacketRecordLayout.SOURCE_PORT_OFFSET, (short) reason);
    segment.set(U16, offset + PacketRecordLayout.DESTINATION_PORT_OFFSET, (short) number);
    return this;
  }

  PacketBlock block(boolean timed, long lostBefore) {
    PacketBlockOrigin origin = new PacketBlockOrigin(0, 1, 0, baseNs, timed);
    return PacketBlock.of(origin, segment, 0, count, PacketLoss.inRing(lostBefore));
  }

  TrafficSummary summary() {
    TrafficCounter counter = new TrafficCounter(TestRecords.LIMITS);
    counter.add(block(true, 0));
    return counter.found();
  }
}
