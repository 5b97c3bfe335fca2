// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.forward;

import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RawPacketFlag;
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
import java.util.Arrays;
import java.util.Optional;

/**
 * A tap whose packets are numbered, in their sequence field, over all its starts; their flow hashes
 * and times follow from the numbers.
 */
final class NumberedTap implements AutoCloseable {
  static final int KEY_GROUPS = 128;
  static final long START_NS = 1_700_000_000_000_000_000L;

  private static final int MOST = 4096;
  private static final int FRAME_BYTES = 100;
  private static final int GOLDEN = 0x9E37_79B9;
  private static final ValueLayout.OfLong U64 =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt U32 =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfShort U16 =
      ValueLayout.JAVA_SHORT.withOrder(ByteOrder.LITTLE_ENDIAN);

  final RingDirectory directory;
  private final int ringCount;
  private final int slotsLog2;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment packets =
      arena.allocate(MOST * RawPacketLayout.SIZE_BYTES, Long.BYTES);
  private final MemorySegment records =
      arena.allocate(MOST * PacketRecordLayout.SIZE_BYTES, Long.BYTES);
  private RingSetWriter rings;
  private int number;
  private long timeNs = START_NS;

  /** By the packets' numbers. */
  private long[] timesNs = new long[MOST];

  private long lostBeforeTap;

  NumberedTap(Path folder, int ringCount, int slotsLog2) {
    directory = new RingDirectory(folder);
    this.ringCount = ringCount;
    this.slotsLog2 = slotsLog2;
    rings = make();
  }

  private RingSetWriter make() {
    return RingSetWriter.create(
        directory,
        new RingSpecification(
            ringCount, slotsLog2, RingClock.SYNTHETIC, KEY_GROUPS, "numbered", Optional.empty()),
        WhenFull.DROP);
  }

  /** Ends, and makes rings anew in the same folder. */
  void startAgain() {
    rings.end();
    dieAndStartAgain();
  }

  /** The same without a last word. */
  void dieAndStartAgain() {
    rings.close();
    rings = make();
  }

  /** Writes packets so far apart; every seventh is a little earlier than the one before. */
  void write(int count, long gapNs) {
    write(count, gapNs, true);
  }

  void write(int count, long gapNs, boolean timed) {
    for (int done = 0; done < count; done += MOST) {
      int batch = Math.min(MOST, count - done);
      for (int i = 0; i < batch; i++) {
        add(i, gapNs, timed);
      }
      rings.write(packets, records, batch);
    }
  }

  private void add(int index, long gapNs, boolean timed) {
    timeNs += number % 7 == 3 ? -gapNs / 2 : gapNs;
    if (number == timesNs.length) {
      timesNs = Arrays.copyOf(timesNs, 2 * number);
    }
    timesNs[number] = timeNs;
    long packet = index * RawPacketLayout.SIZE_BYTES;
    packets.set(U64, packet + RawPacketLayout.TIME_NS_OFFSET, timeNs);
    packets.set(U32, packet + RawPacketLayout.WIRE_BYTES_OFFSET, FRAME_BYTES);
    packets.set(
        U16, packet + RawPacketLayout.FLAGS_OFFSET, (short) (timed ? 0 : RawPacketFlag.UNTIMED));
    long record = index * PacketRecordLayout.SIZE_BYTES;
    records.set(U32, record + PacketRecordLayout.TIME_LOW_OFFSET, (int) timeNs);
    records.set(U32, record + PacketRecordLayout.FLOW_HASH_OFFSET, number * GOLDEN);
    records.set(U32, record + PacketRecordLayout.SEQUENCE_OFFSET, number);
    records.set(
        U32,
        record + PacketRecordLayout.DESCRIPTOR_OFFSET,
        RecordKind.IPV4 << PacketRecordLayout.KIND_SHIFT | FRAME_BYTES);
    number++;
  }

  void loseBeforeTap(int count) {
    lostBeforeTap += count;
    rings.lostBeforeTap(count, timeNs);
  }

  void tellTime(long laterNs) {
    timeNs += laterNs;
    rings.heartbeat(timeNs, true);
  }

  void end() {
    rings.end();
  }

  /** When a packet came. */
  long timeNs(int ofNumber) {
    return timesNs[ofNumber];
  }

  /** Over all its starts. */
  long offeredPackets() {
    return number;
  }

  long lostBeforeTap() {
    return lostBeforeTap;
  }

  @Override
  public void close() {
    rings.close();
    arena.close();
    directory.delete();
  }
}
