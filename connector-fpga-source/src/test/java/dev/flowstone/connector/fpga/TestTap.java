// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RawPacketLayout;
import dev.flowstone.model.abi.RecordKind;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.offheap.ring.RingDirectory;
import dev.flowstone.offheap.ring.RingSetWriter;
import dev.flowstone.offheap.ring.RingSpecification;
import dev.flowstone.offheap.ring.WhenFull;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A tap of synthetic packets on real ring files. Packet n belongs to flow n mod {@link #FLOWS} and
 * carries the number that it has within its flow. One thread at a time.
 */
public final class TestTap implements AutoCloseable {
  public static final int FLOWS = 40;
  public static final int KEY_GROUPS = 128;
  public static final long START_NS = 1_700_000_000_000_000_000L;

  private static final int BATCH = 256;
  private static final long STEP_NS = 1_000;
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Arena arena = Arena.ofShared();
  private final MemorySegment raw = arena.allocate(BATCH * RawPacketLayout.SIZE_BYTES, 64);
  private final MemorySegment records = arena.allocate(BATCH * PacketRecordLayout.SIZE_BYTES, 64);
  private final RingSetWriter writer;
  private final Map<Integer, Integer> perFlow = new HashMap<>();
  private long packets;
  private long timeNs = START_NS;

  /** A tap that drops what finds no room. */
  public TestTap(Path folder, int rings, int slotsLog2) {
    this(folder, rings, slotsLog2, WhenFull.DROP);
  }

  public TestTap(Path folder, int rings, int slotsLog2, WhenFull whenFull) {
    writer =
        RingSetWriter.create(
            new RingDirectory(folder),
            new RingSpecification(
                rings, slotsLog2, RingClock.SYNTHETIC, KEY_GROUPS, "test", Optional.empty()),
            whenFull);
  }

  /** Writes the next packets, a microsecond apart. */
  public void write(int count) {
    for (int written = 0; written < count; written += BATCH) {
      int batch = Math.min(BATCH, count - written);
      for (int i = 0; i < batch; i++) {
        describe(i, (int) (packets++ % FLOWS));
      }
      writer.write(raw, records, batch);
    }
  }

  /** Writes one packet with a number of the caller's choice, in the flow 0. */
  public void writeNumber(int number) {
    describe(0, 0);
    records.set(INT, PacketRecordLayout.SEQUENCE_OFFSET, number);
    writer.write(raw, records, 1);
  }

  private void describe(int index, int flow) {
    timeNs += STEP_NS;
    int number = perFlow.merge(flow, 1, Integer::sum) - 1;
    long rawOffset = index * RawPacketLayout.SIZE_BYTES;
    raw.asSlice(rawOffset, RawPacketLayout.SIZE_BYTES).fill((byte) 0);
    raw.set(LONG, rawOffset + RawPacketLayout.TIME_NS_OFFSET, timeNs);
    raw.set(INT, rawOffset + RawPacketLayout.WIRE_BYTES_OFFSET, 64);
    long offset = index * PacketRecordLayout.SIZE_BYTES;
    records.asSlice(offset, PacketRecordLayout.SIZE_BYTES).fill((byte) 0);
    records.set(INT, offset + PacketRecordLayout.TIME_LOW_OFFSET, (int) timeNs);
    records.set(INT, offset + PacketRecordLayout.FLOW_HASH_OFFSET, flow * 0x9E3779B9);
    // From ::ffff:0.0.0.0 to itself, by the flow's port.
    records.set(INT, offset + PacketRecordLayout.SOURCE_ADDRESS_OFFSET + 8, 0xffff_0000);
    records.set(INT, offset + PacketRecordLayout.DESTINATION_ADDRESS_OFFSET + 8, 0xffff_0000);
    records.set(SHORT, offset + PacketRecordLayout.SOURCE_PORT_OFFSET, (short) flow);
    records.set(INT, offset + PacketRecordLayout.SEQUENCE_OFFSET, number);
    records.set(INT, offset + PacketRecordLayout.ACKNOWLEDGEMENT_OFFSET, flow);
    records.set(
        INT,
        offset + PacketRecordLayout.DESCRIPTOR_OFFSET,
        64 | RecordKind.IPV4 << PacketRecordLayout.KIND_SHIFT);
  }

  public static int flow(MemorySegment segment, long offset) {
    return segment.get(INT, offset + PacketRecordLayout.ACKNOWLEDGEMENT_OFFSET);
  }

  public static int number(MemorySegment segment, long offset) {
    return segment.get(INT, offset + PacketRecordLayout.SEQUENCE_OFFSET);
  }

  /** Packets written per flow, dropped ones included. */
  public Map<Integer, Integer> perFlow() {
    return Map.copyOf(perFlow);
  }

  public void sleep(long durationNs) {
    timeNs += durationNs;
  }

  public void heartbeat() {
    writer.heartbeat(timeNs, true);
  }

  public void end() {
    writer.end();
  }

  public long offered() {
    return writer.offeredPackets();
  }

  public long dropped() {
    long dropped = 0;
    for (int ring = 0; ring < writer.ringCount(); ring++) {
      dropped += writer.ringFile(ring).counters().droppedPackets();
    }
    return dropped;
  }

  /** What names a ring's packets everywhere. */
  public long stream(int ring) {
    return writer.ringFile(ring).identity().stream();
  }

  public RingSetWriter writer() {
    return writer;
  }

  /** Without {@link #end}: as a crash would. */
  @Override
  public void close() {
    writer.close();
    arena.close();
  }
}
