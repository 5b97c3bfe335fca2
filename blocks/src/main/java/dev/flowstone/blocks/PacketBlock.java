// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.blocks;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.PacketRecordLayout;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.apache.flink.api.common.typeinfo.TypeInfo;

/**
 * Packets of one ring, in the order of the wire, under one time base: what flows between operators.
 * Immutable, and a reference to memory, not a copy; passing it on costs nothing.
 *
 * <p>A block that the source emitted lies in the ring itself. With release on checkpoint its bytes
 * stay until the next checkpoint completes; with release on read only during the {@code
 * processElement} that got it. A block that came over the network owns its memory.
 *
 * <p>A hot loop takes {@link #segment()} into a local and reads at {@link #offsetOf}. Indexes count
 * the packets of this block, 0 to {@link #count()}; positions are those of the ring, and survive
 * both selection and the network.
 *
 * <p>An empty block says that packets were lost where no packet followed, see {@link #lostBefore}.
 */
@TypeInfo(PacketBlockTypeInformation.Factory.class)
public final class PacketBlock {
  /** Bytes of one record, and its binary logarithm. */
  public static final int RECORD_BYTES = (int) PacketRecordLayout.SIZE_BYTES;

  static final int RECORD_BYTES_LOG2 = Integer.numberOfTrailingZeros(RECORD_BYTES);

  /** Most positions that one block spans, so that a position within it fits 16 bits. */
  public static final int MOST_RECORDS = (1 << Short.SIZE) - 1;

  private final PacketBlockOrigin origin;
  private final long lostBefore;
  private final MemorySegment segment;
  private final long offsetBytes;
  private final int count;

  /** Slot of each record, from offsetBytes on; null: 0, 1, 2, ... */
  private final int[] slots;

  /** Position of each record, from the origin's on; null: 0, 1, 2, ... */
  private final int[] gaps;

  private PacketBlock(
      PacketBlockOrigin origin,
      long lostBefore,
      MemorySegment segment,
      long offsetBytes,
      int count,
      int[] slots,
      int[] gaps) {
    if (lostBefore < 0) {
      throw new IllegalArgumentException("lostBefore must not be negative: " + lostBefore);
    }
    this.origin = origin;
    this.lostBefore = lostBefore;
    this.segment = segment;
    this.offsetBytes = offsetBytes;
    this.count = count;
    this.slots = slots;
    this.gaps = gaps;
  }

  /**
   * A run of consecutive packets.
   *
   * @param segment where they lie; must stay as it is for as long as the block is used
   * @param offsetBytes of the first record there
   * @param lostBefore packets of this ring lost between the block before and this one
   */
  public static PacketBlock of(
      PacketBlockOrigin origin,
      MemorySegment segment,
      long offsetBytes,
      int count,
      long lostBefore) {
    requireCount(count);
    if (offsetBytes < 0 || offsetBytes + (long) count * RECORD_BYTES > segment.byteSize()) {
      throw new IllegalArgumentException(
          count
              + " records at offset "
              + offsetBytes
              + " do not fit in "
              + segment.byteSize()
              + " bytes");
    }
    return new PacketBlock(origin, lostBefore, segment, offsetBytes, count, null, null);
  }

  /** No packet, only the news that some were lost before the origin's position. */
  public static PacketBlock empty(PacketBlockOrigin origin, long lostBefore) {
    return new PacketBlock(origin, lostBefore, MemorySegment.NULL, 0, 0, null, null);
  }

  /** Records side by side in memory that were not so in the ring; takes the array over. */
  static PacketBlock compact(
      PacketBlockOrigin origin, MemorySegment segment, int[] gaps, long lostBefore) {
    return new PacketBlock(origin, lostBefore, segment, 0, gaps.length, null, gaps);
  }

  private static void requireCount(int count) {
    if (count < 0 || count > MOST_RECORDS) {
      throw new IllegalArgumentException("a block has 0 to " + MOST_RECORDS + " records: " + count);
    }
  }

  /**
   * A block of some of these packets, on the same memory.
   *
   * @param indexes which, strictly ascending; copied
   * @param selectedCount how many of the array's entries count
   */
  public PacketBlock select(int[] indexes, int selectedCount) {
    requireAscending(indexes, selectedCount);
    int[] chosen = Arrays.copyOf(indexes, selectedCount);
    int[] chosenSlots = slots == null ? chosen : pick(slots, chosen);
    int[] chosenGaps = gaps == null ? chosen : pick(gaps, chosen);
    return new PacketBlock(
        origin, lostBefore, segment, offsetBytes, selectedCount, chosenSlots, chosenGaps);
  }

  private void requireAscending(int[] indexes, int selectedCount) {
    int previous = -1;
    for (int i = 0; i < selectedCount; i++) {
      if (indexes[i] <= previous || indexes[i] >= count) {
        throw new IllegalArgumentException(
            "selected indexes must ascend within 0 to "
                + (count - 1)
                + ": entry "
                + i
                + " is "
                + indexes[i]
                + " after "
                + previous);
      }
      previous = indexes[i];
    }
  }

  private static int[] pick(int[] values, int[] indexes) {
    int[] picked = new int[indexes.length];
    for (int i = 0; i < indexes.length; i++) {
      picked[i] = values[indexes[i]];
    }
    return picked;
  }

  /** The same packets, with another loss: where one block becomes several, only one may keep it. */
  public PacketBlock withLostBefore(long packets) {
    return new PacketBlock(origin, packets, segment, offsetBytes, count, slots, gaps);
  }

  public PacketBlockOrigin origin() {
    return origin;
  }

  public int ring() {
    return origin.ring();
  }

  /** Names, with the ring, the stream of which this block is a part. */
  public long incarnation() {
    return origin.incarnation();
  }

  public boolean clockTrusted() {
    return origin.clockTrusted();
  }

  public long timeBaseNs() {
    return origin.timeBaseNs();
  }

  /** Packets of this ring lost between the block before this one and this one. */
  public long lostBefore() {
    return lostBefore;
  }

  /** How many packets. */
  public int count() {
    return count;
  }

  public boolean isEmpty() {
    return count == 0;
  }

  /** Whether record i lies at {@code offsetBytes() + i * RECORD_BYTES}. */
  public boolean isContiguous() {
    return slots == null;
  }

  /** Where the records lie; always off the heap. */
  public MemorySegment segment() {
    return segment;
  }

  /** Offset of the run's first record, selected or not. */
  public long offsetBytes() {
    return offsetBytes;
  }

  /** Offset of a record in {@link #segment()}. */
  public long offsetOf(int index) {
    int slot = slots == null ? index : slots[index];
    return offsetBytes + ((long) slot << RECORD_BYTES_LOG2);
  }

  /**
   * Ring position of the run's first packet, selected or not; of an empty block: what comes next.
   */
  public long firstPosition() {
    return origin.position();
  }

  /** Ring position of a packet. */
  public long positionOf(int index) {
    return origin.position() + gapOf(index);
  }

  /** Positions between the run's first packet and a packet of this block. */
  int gapOf(int index) {
    return gaps == null ? index : gaps[index];
  }

  /** Whether positions are not simply consecutive. */
  boolean hasGaps() {
    return gaps != null;
  }

  /** When a packet was on the wire: UTC nanoseconds of the ring's clock. */
  public long timeNs(int index) {
    return PacketRecord.timeNs(PacketRecord.timeLow(segment, offsetOf(index)), origin.timeBaseNs());
  }

  /** Time of the last packet; of an empty block the time base. */
  public long lastTimeNs() {
    return count == 0 ? origin.timeBaseNs() : timeNs(count - 1);
  }

  @Override
  public String toString() {
    return "PacketBlock{" + origin + ", count " + count + ", lost before " + lostBefore + "}";
  }
}
