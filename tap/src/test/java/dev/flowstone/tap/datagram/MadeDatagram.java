// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.datagram;

import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.StreamNumber;
import dev.flowstone.model.abi.DatagramFlag;
import dev.flowstone.model.abi.DatagramKind;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import dev.flowstone.model.abi.RingClock;
import dev.flowstone.model.abi.RingLineageLayout;
import dev.flowstone.model.abi.TelemetryDatagramLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/**
 * A datagram made by hand, field by field: of ring 0 of one, run 1 of tap 1, unless it is told
 * otherwise.
 */
public final class MadeDatagram implements AutoCloseable {
  public static final long TIME_NS = 1_700_000_000_000_000_000L;
  public static final int KEY_GROUPS = 128;
  private static final long RECORD_BYTES = PacketRecordLayout.SIZE_BYTES;

  private final DatagramBuffer buffer = new DatagramBuffer();
  private final MemorySegment memory = buffer.memory();
  private int lengthBytes = DatagramHeader.BYTES;
  private int ring;

  private MadeDatagram(int kind) {
    set(TelemetryDatagramLayout.MAGIC_OFFSET, TelemetryDatagramLayout.MAGIC);
    setShort(TelemetryDatagramLayout.VERSION_OFFSET, TelemetryDatagramLayout.VERSION);
    setByte(TelemetryDatagramLayout.KIND_OFFSET, kind);
    flags(DatagramFlag.CLOCK_KNOWN | DatagramFlag.CLOCK_TRUSTED);
    setShort(TelemetryDatagramLayout.CLOCK_OFFSET, RingClock.WALL);
    set(TelemetryDatagramLayout.TIME_BASE_NS_OFFSET, TIME_NS);
    rings(1).tap(1).run(1, 1).incarnation(1);
  }

  /** Of packets that are numbered in their sequence field from the one before the first on. */
  public static MadeDatagram ofPackets(long sequence, long packets, int count) {
    MadeDatagram made = new MadeDatagram(DatagramKind.PACKETS).sequence(sequence).packets(packets);
    made.setShort(TelemetryDatagramLayout.COUNT_OFFSET, count);
    for (int i = 0; i < count; i++) {
      long record = DatagramHeader.BYTES + i * RECORD_BYTES;
      made.set(record + PacketRecordLayout.TIME_LOW_OFFSET, (int) TIME_NS + i);
      made.set(record + PacketRecordLayout.SEQUENCE_OFFSET, (int) packets + i);
      made.set(
          record + PacketRecordLayout.DESCRIPTOR_OFFSET,
          RecordKind.IPV4 << PacketRecordLayout.KIND_SHIFT | 100);
    }
    made.lengthBytes += count * (int) RECORD_BYTES;
    return made;
  }

  public static MadeDatagram heartbeat(long sequence, long packets) {
    return new MadeDatagram(DatagramKind.HEARTBEAT).sequence(sequence).packets(packets);
  }

  public static MadeDatagram hello(long sequence) {
    return new MadeDatagram(DatagramKind.HELLO).sequence(sequence);
  }

  /** An earlier incarnation. */
  public record Ancestor(long incarnation, long offeredPackets, long lostBeforeTap) {}

  /** The earlier incarnations of a heartbeat, latest first. */
  public MadeDatagram lineage(Ancestor... ancestors) {
    int count = 0;
    for (Ancestor ancestor : List.of(ancestors)) {
      long at = DatagramHeader.BYTES + count++ * RingLineageLayout.SIZE_BYTES;
      set(at + RingLineageLayout.INCARNATION_OFFSET, ancestor.incarnation());
      set(at + RingLineageLayout.OFFERED_PACKETS_OFFSET, ancestor.offeredPackets());
      set(at + RingLineageLayout.LOST_BEFORE_TAP_OFFSET, ancestor.lostBeforeTap());
    }
    setShort(TelemetryDatagramLayout.COUNT_OFFSET, count);
    lengthBytes = DatagramHeader.BYTES + count * (int) RingLineageLayout.SIZE_BYTES;
    return this;
  }

  public MadeDatagram sequence(long sequence) {
    set(TelemetryDatagramLayout.SEQUENCE_OFFSET, sequence);
    return this;
  }

  public MadeDatagram packets(long packets) {
    set(TelemetryDatagramLayout.PACKETS_OFFSET, packets);
    return this;
  }

  public MadeDatagram flags(int flags) {
    setByte(TelemetryDatagramLayout.FLAGS_OFFSET, flags);
    return this;
  }

  public MadeDatagram rings(int count) {
    setShort(TelemetryDatagramLayout.RING_COUNT_OFFSET, count);
    set(TelemetryDatagramLayout.MAX_PARALLELISM_OFFSET, KEY_GROUPS);
    set(
        TelemetryDatagramLayout.KEY_GROUPS_OFFSET,
        SenderRun.checksum(KeyGroups.ringTable(KEY_GROUPS, count)));
    return this;
  }

  public MadeDatagram ring(int number) {
    ring = number;
    setShort(TelemetryDatagramLayout.RING_OFFSET, number);
    return tap(StreamNumber.tap(DatagramHeader.stream(memory, 0)));
  }

  public MadeDatagram tap(long number) {
    set(TelemetryDatagramLayout.STREAM_OFFSET, StreamNumber.of(number, ring));
    return this;
  }

  public MadeDatagram run(long id, long startedNs) {
    set(TelemetryDatagramLayout.RUN_OFFSET, id);
    set(TelemetryDatagramLayout.RUN_STARTED_NS_OFFSET, startedNs);
    return this;
  }

  public MadeDatagram reader(int digest) {
    set(TelemetryDatagramLayout.READER_OFFSET, digest);
    return this;
  }

  public MadeDatagram incarnation(long incarnation) {
    set(TelemetryDatagramLayout.INCARNATION_OFFSET, incarnation);
    return this;
  }

  public MadeDatagram lost(long inRing, long beforeTap) {
    set(TelemetryDatagramLayout.LOST_IN_RING_OFFSET, inRing);
    set(TelemetryDatagramLayout.LOST_BEFORE_TAP_OFFSET, beforeTap);
    return this;
  }

  public MadeDatagram start(long packets, long lostBeforeTap) {
    set(TelemetryDatagramLayout.START_PACKETS_OFFSET, packets);
    set(TelemetryDatagramLayout.START_LOST_BEFORE_TAP_OFFSET, lostBeforeTap);
    return this;
  }

  /** Any byte, whatever it is. */
  public MadeDatagram setByte(long offset, int value) {
    memory.set(ValueLayout.JAVA_BYTE, offset, (byte) value);
    return this;
  }

  public MadeDatagram setShort(long offset, int value) {
    memory.set(DatagramHeader.U16, offset, (short) value);
    return this;
  }

  public MadeDatagram set(long offset, int value) {
    memory.set(DatagramHeader.U32, offset, value);
    return this;
  }

  public MadeDatagram set(long offset, long value) {
    memory.set(DatagramHeader.U64, offset, value);
    return this;
  }

  public MadeDatagram lengthBytes(int bytes) {
    lengthBytes = bytes;
    return this;
  }

  public int lengthBytes() {
    return lengthBytes;
  }

  public MemorySegment memory() {
    return memory;
  }

  /** With the checksum that it should have. */
  public DatagramBuffer checked() {
    set(TelemetryDatagramLayout.CHECKSUM_OFFSET, buffer.checksum(lengthBytes));
    return buffer;
  }

  /** With checksum and tag, as a sender with a key sends it. */
  public DatagramBuffer tagged(DatagramKey key) {
    int flags = memory.get(ValueLayout.JAVA_BYTE, TelemetryDatagramLayout.FLAGS_OFFSET);
    flags(flags | DatagramFlag.AUTHENTICATED);
    checked();
    new DatagramTag(key).append(buffer, lengthBytes);
    lengthBytes += DatagramTag.BYTES;
    return buffer;
  }

  /** As it is. */
  public DatagramBuffer buffer() {
    return buffer;
  }

  @Override
  public void close() {
    buffer.close();
  }
}
