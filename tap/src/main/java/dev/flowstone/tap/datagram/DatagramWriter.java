// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.datagram;

import dev.flowstone.model.abi.DatagramFlag;
import dev.flowstone.model.abi.DatagramKind;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RingLineageLayout;
import dev.flowstone.model.abi.TelemetryDatagramLayout;
import dev.flowstone.offheap.ring.RingFile;
import dev.flowstone.offheap.ring.RingIdentity;
import dev.flowstone.offheap.ring.RingLineage;
import dev.flowstone.offheap.ring.RingTime;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Makes the datagrams of one ring, one after the other in the same memory: gathers the records of
 * one while there is room, or tells counts alone. What it returns is to be sent before anything
 * else is done with it. Closed by whoever made it; one thread.
 */
public final class DatagramWriter implements AutoCloseable {
  private static final long RECORD_BYTES = PacketRecordLayout.SIZE_BYTES;

  private final DatagramBuffer buffer = new DatagramBuffer();
  private final MemorySegment memory = buffer.memory();
  private final int mostRecords;
  private final Optional<DatagramTag> tag;

  private long sequence;
  private int records;
  private long firstPacket;
  private long lostBeforeTap;
  private RingTime time = new RingTime(RingTime.NEVER, false, false);

  /**
   * @param key that authenticates the datagrams; empty: they have no tag
   */
  public DatagramWriter(SenderRun run, int mostRecords, Optional<DatagramKey> key) {
    this.mostRecords = mostRecords;
    tag = key.map(DatagramTag::new);
    put(TelemetryDatagramLayout.MAGIC_OFFSET, TelemetryDatagramLayout.MAGIC);
    putShort(TelemetryDatagramLayout.VERSION_OFFSET, TelemetryDatagramLayout.VERSION);
    put(TelemetryDatagramLayout.READER_OFFSET, run.reader());
    put(TelemetryDatagramLayout.RUN_OFFSET, run.id());
    put(TelemetryDatagramLayout.RUN_STARTED_NS_OFFSET, run.startedNs());
  }

  /** From here on datagrams are of that incarnation, which was not read before. */
  public void describe(RingFile file) {
    RingIdentity ring = file.identity();
    putShort(TelemetryDatagramLayout.RING_OFFSET, ring.ring());
    putShort(TelemetryDatagramLayout.RING_COUNT_OFFSET, ring.ringCount());
    putShort(TelemetryDatagramLayout.CLOCK_OFFSET, ring.clock());
    put(TelemetryDatagramLayout.MAX_PARALLELISM_OFFSET, ring.maxParallelism());
    put(TelemetryDatagramLayout.KEY_GROUPS_OFFSET, SenderRun.checksum(file.keyGroupTable()));
    put(TelemetryDatagramLayout.STREAM_OFFSET, ring.stream());
    put(TelemetryDatagramLayout.INCARNATION_OFFSET, ring.incarnation());
    startAt(0, 0);
  }

  /** This run began there to read the incarnation; what came before it does not tell of. */
  public void startAt(long packets, long lostBefore) {
    put(TelemetryDatagramLayout.START_PACKETS_OFFSET, packets);
    put(TelemetryDatagramLayout.START_LOST_BEFORE_TAP_OFFSET, lostBefore);
  }

  public int records() {
    return records;
  }

  public int room() {
    return mostRecords - records;
  }

  /**
   * Whether records that begin there follow those gathered, with nothing lost in between; under
   * another time base none do.
   */
  public boolean goesOn(long packets, long before) {
    return packets == firstPacket + records && before == lostBeforeTap;
  }

  /** Begins to gather records. */
  public void begin(long packets, long lostInRing, long before, RingTime at) {
    firstPacket = packets;
    lostBeforeTap = before;
    time = at;
    putCounts(packets, lostInRing, before);
  }

  /** Adds records, for which there is room. */
  public void append(MemorySegment from, long offset, int count) {
    MemorySegment.copy(
        from, offset, memory, DatagramHeader.BYTES + records * RECORD_BYTES, count * RECORD_BYTES);
    records += count;
  }

  /** Takes the last records back. */
  public void takeBack(int count) {
    records -= count;
  }

  /** The datagram of the records gathered. */
  public ByteBuffer packets() {
    int lengthBytes = (int) (DatagramHeader.BYTES + records * RECORD_BYTES);
    ByteBuffer finished = finish(DatagramKind.PACKETS, 0, records, lengthBytes);
    records = 0;
    return finished;
  }

  /**
   * A datagram that tells counts, time and earlier incarnations; only while no records are
   * gathered.
   *
   * @param flags of {@link DatagramFlag}, but for those of the clock
   */
  public ByteBuffer heartbeat(
      long packets, long lostInRing, long before, RingTime at, RingLineage lineage, int flags) {
    time = at;
    putCounts(packets, lostInRing, before);
    int ancestors = HeartbeatLineage.write(memory, lineage);
    int lengthBytes = (int) (DatagramHeader.BYTES + ancestors * RingLineageLayout.SIZE_BYTES);
    return finish(DatagramKind.HEARTBEAT, flags, ancestors, lengthBytes);
  }

  /** A datagram that tells nothing but which rings these are. */
  public ByteBuffer hello(int flags) {
    putCounts(0, 0, 0);
    return finish(DatagramKind.HELLO, flags, 0, DatagramHeader.BYTES);
  }

  private void putCounts(long packets, long lostInRing, long before) {
    put(TelemetryDatagramLayout.PACKETS_OFFSET, packets);
    put(TelemetryDatagramLayout.LOST_IN_RING_OFFSET, lostInRing);
    put(TelemetryDatagramLayout.LOST_BEFORE_TAP_OFFSET, before);
  }

  private ByteBuffer finish(int kind, int flags, int count, int lengthBytes) {
    putByte(TelemetryDatagramLayout.KIND_OFFSET, kind);
    putByte(TelemetryDatagramLayout.FLAGS_OFFSET, flags | clockFlags() | tagFlag());
    putShort(TelemetryDatagramLayout.COUNT_OFFSET, count);
    put(TelemetryDatagramLayout.SEQUENCE_OFFSET, sequence++);
    put(TelemetryDatagramLayout.TIME_BASE_NS_OFFSET, time.isKnown() ? time.baseNs() : 0);
    put(TelemetryDatagramLayout.CHECKSUM_OFFSET, buffer.checksum(lengthBytes));
    if (tag.isEmpty()) {
      return buffer.toSend(lengthBytes);
    }
    tag.get().append(buffer, lengthBytes);
    return buffer.toSend(lengthBytes + DatagramTag.BYTES);
  }

  private int tagFlag() {
    return tag.isPresent() ? DatagramFlag.AUTHENTICATED : 0;
  }

  private int clockFlags() {
    if (!time.isKnown()) {
      return 0;
    }
    return DatagramFlag.CLOCK_KNOWN | (time.isTrusted() ? DatagramFlag.CLOCK_TRUSTED : 0);
  }

  private void putByte(long offset, int value) {
    memory.set(ValueLayout.JAVA_BYTE, offset, (byte) value);
  }

  private void putShort(long offset, int value) {
    memory.set(DatagramHeader.U16, offset, (short) value);
  }

  private void put(long offset, int value) {
    memory.set(DatagramHeader.U32, offset, value);
  }

  private void put(long offset, long value) {
    memory.set(DatagramHeader.U64, offset, value);
  }

  @Override
  public void close() {
    buffer.close();
  }
}
