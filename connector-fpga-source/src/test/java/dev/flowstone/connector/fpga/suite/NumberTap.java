// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.suite;

import dev.flowstone.blocks.PacketBlock;
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
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;

/**
 * A tap that writes numbered packets to rings of the caller's choice. Flink's own key-group
 * assignment chooses the flow hash of each packet, not the tap's. One thread at a time.
 */
final class NumberTap implements AutoCloseable {
  static final int RINGS = 4;
  static final int KEY_GROUPS = 128;

  private static final int SLOTS_LOG2 = 10;
  private static final long START_NS = 1_700_000_000_000_000_000L;
  private static final long STEP_NS = 1_000;
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final Arena arena = Arena.ofShared();
  private final MemorySegment raw = arena.allocate(RawPacketLayout.SIZE_BYTES, 64);
  private final MemorySegment packet = arena.allocate(PacketRecordLayout.SIZE_BYTES, 64);
  private final RingDirectory directory;
  private final RingSetWriter writer;
  private long timeNs = START_NS;

  NumberTap(Path folder) {
    directory = new RingDirectory(folder);
    writer =
        RingSetWriter.create(
            directory,
            new RingSpecification(
                RINGS, SLOTS_LOG2, RingClock.SYNTHETIC, KEY_GROUPS, "suite", Optional.empty()),
            WhenFull.DROP);
  }

  /** Writes a packet that belongs to the ring. */
  void write(int ring, int number) {
    timeNs += STEP_NS;
    raw.set(LONG, RawPacketLayout.TIME_NS_OFFSET, timeNs);
    raw.set(INT, RawPacketLayout.WIRE_BYTES_OFFSET, 64);
    packet.set(INT, PacketRecordLayout.TIME_LOW_OFFSET, (int) timeNs);
    packet.set(INT, PacketRecordLayout.FLOW_HASH_OFFSET, flowHashIn(ring));
    packet.set(INT, PacketRecordLayout.SEQUENCE_OFFSET, number);
    packet.set(
        INT,
        PacketRecordLayout.DESCRIPTOR_OFFSET,
        64 | RecordKind.IPV4 << PacketRecordLayout.KIND_SHIFT);
    writer.write(raw, packet, 1);
  }

  private static int flowHashIn(int ring) {
    return IntStream.iterate(0, hash -> hash + 1)
        .filter(
            hash ->
                KeyGroupRangeAssignment.assignKeyToParallelOperator(hash, KEY_GROUPS, RINGS)
                    == ring)
        .findFirst()
        .orElseThrow();
  }

  /** Returns ring and number of a packet. */
  static String text(int ring, int number) {
    return ring + ":" + number;
  }

  /** Returns the same of a packet that was read. */
  static String text(PacketBlock block, int index) {
    return text(
        block.ring(),
        block.segment().get(INT, block.offsetOf(index) + PacketRecordLayout.SEQUENCE_OFFSET));
  }

  void end() {
    writer.end();
  }

  long droppedPackets() {
    return IntStream.range(0, RINGS)
        .mapToLong(ring -> writer.ringFile(ring).counters().droppedPackets())
        .sum();
  }

  @Override
  public void close() {
    writer.close();
    arena.close();
    directory.delete();
  }
}
