// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.blocks;

import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.offheap.ring.RingLoan;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import org.apache.flink.api.common.typeinfo.TypeInfo;

/**
 * Packets of one ring, in the order of the wire, under one time base: what flows between operators.
 * Immutable, and a reference to memory, not a copy; passing it on costs nothing.
 *
 * <p>A block that the source emitted is borrowed: it lies in the ring itself. With release on
 * checkpoint its bytes stay until the next checkpoint completes; with release on read only during
 * the {@code processElement} that got it. An operator that keeps a block longer, in a field, in
 * state or in a queue, keeps {@link #owned()} instead: the ring's memory goes on to hold other
 * packets. Whoever copies the records of a block asks {@link #requireIntact()} afterwards, as the
 * serializer does. A block that came over the network stays what it is, but shares its memory with
 * its neighbours: who keeps one keeps {@link #owned()}, or a whole megabyte for it.
 *
 * <p>A hot loop takes {@link #segment()} into a local and reads at {@link #offsetOf}. Indexes count
 * the packets of this block, 0 to {@link #count()}; positions are those of the ring, and survive
 * both selection and the network.
 *
 * <p>An empty block says that packets were lost where no packet followed, see {@link #lossBefore}.
 * A loss leaves an operator exactly once: {@link #select} leaves it behind, and who makes several
 * blocks of one gives it to one of them by {@link #withLossBefore}.
 */
@TypeInfo(PacketBlockTypeInformation.Factory.class)
public final class PacketBlock {
  /** Bytes of one record, and its binary logarithm. */
  public static final int RECORD_BYTES = (int) PacketRecordLayout.SIZE_BYTES;

  static final int RECORD_BYTES_LOG2 = Integer.numberOfTrailingZeros(RECORD_BYTES);

  /** Most positions that one block spans, so that a position within it fits 16 bits. */
  public static final int MOST_RECORDS = (1 << Short.SIZE) - 1;

  private static final RingLoan OWNED = _ -> true;

  /** Memory of several blocks, which nobody writes any more. */
  private static final RingLoan SHARED = _ -> true;

  private final PacketBlockOrigin origin;
  private final PacketLoss lossBefore;
  private final RingLoan loan;
  private final MemorySegment segment;
  private final long offsetBytes;
  private final int count;

  /** Slot of each record, from offsetBytes on; null: 0, 1, 2, ... */
  private final int[] slots;

  /** Position of each record, from the origin's on; null: 0, 1, 2, ... */
  private final int[] gaps;

  private PacketBlock(
      PacketBlockOrigin origin,
      PacketLoss lossBefore,
      RingLoan loan,
      MemorySegment segment,
      long offsetBytes,
      int count,
      int[] slots,
      int[] gaps) {
    this.origin = origin;
    this.lossBefore = lossBefore;
    this.loan = loan;
    this.segment = segment;
    this.offsetBytes = offsetBytes;
    this.count = count;
    this.slots = slots;
    this.gaps = gaps;
  }

  /**
   * A run of consecutive packets in memory that nobody writes any more.
   *
   * @param offsetBytes of the first record there
   * @param lossBefore packets of this ring lost between the block before and this one
   */
  public static PacketBlock of(
      PacketBlockOrigin origin,
      MemorySegment segment,
      long offsetBytes,
      int count,
      PacketLoss lossBefore) {
    return borrowed(origin, segment, offsetBytes, count, lossBefore, OWNED);
  }

  /**
   * A run of consecutive packets in a ring's memory.
   *
   * @param loan says whether the memory still holds them
   */
  public static PacketBlock borrowed(
      PacketBlockOrigin origin,
      MemorySegment segment,
      long offsetBytes,
      int count,
      PacketLoss lossBefore,
      RingLoan loan) {
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
    return new PacketBlock(origin, lossBefore, loan, segment, offsetBytes, count, null, null);
  }

  /** No packet, only the news that some were lost before the origin's position. */
  public static PacketBlock empty(PacketBlockOrigin origin, PacketLoss lossBefore) {
    return new PacketBlock(origin, lossBefore, OWNED, MemorySegment.NULL, 0, 0, null, null);
  }

  /**
   * Records in memory that other blocks share.
   *
   * @param gaps taken over; null: positions are consecutive
   */
  static PacketBlock shared(
      PacketBlockOrigin origin,
      MemorySegment records,
      int count,
      int[] gaps,
      PacketLoss lossBefore) {
    return new PacketBlock(origin, lossBefore, SHARED, records, 0, count, null, gaps);
  }

  /** Records side by side in memory that were not so in the ring; takes the array over. */
  static PacketBlock compact(
      PacketBlockOrigin origin, MemorySegment segment, int[] gaps, PacketLoss lossBefore) {
    return new PacketBlock(origin, lossBefore, OWNED, segment, 0, gaps.length, null, gaps);
  }

  private static void requireCount(int count) {
    if (count < 0 || count > MOST_RECORDS) {
      throw new IllegalArgumentException("a block has 0 to " + MOST_RECORDS + " records: " + count);
    }
  }

  /**
   * A block of some of these packets, on the same memory, that tells of no loss.
   *
   * @param indexes which, strictly ascending; copied
   * @param selectedCount how many of the array's entries count
   */
  public PacketBlock select(int[] indexes, int selectedCount) {
    return select(indexes, 0, selectedCount);
  }

  /** The same of indexes that stand somewhere in an array: from one place to before another. */
  public PacketBlock select(int[] indexes, int from, int to) {
    Objects.checkFromToIndex(from, to, indexes.length);
    int[] chosen = Arrays.copyOfRange(indexes, from, to);
    requireAscending(chosen);
    int[] chosenSlots = slots == null ? chosen : pick(slots, chosen);
    int[] chosenGaps = gaps == null ? chosen : pick(gaps, chosen);
    return new PacketBlock(
        origin,
        PacketLoss.NONE,
        loan,
        segment,
        offsetBytes,
        chosen.length,
        chosenSlots,
        chosenGaps);
  }

  private void requireAscending(int[] indexes) {
    int previous = -1;
    for (int i = 0; i < indexes.length; i++) {
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
  public PacketBlock withLossBefore(PacketLoss loss) {
    return loss.equals(lossBefore)
        ? this
        : new PacketBlock(origin, loss, loan, segment, offsetBytes, count, slots, gaps);
  }

  /**
   * The same block in memory of its own, for whoever keeps it; itself when it is owned already.
   *
   * @throws StaleBlockException if it was kept for too long already
   */
  public PacketBlock owned() {
    return isOwned() ? this : copy();
  }

  /**
   * The same block in new memory, side by side. Whoever asked for it may change the records there
   * before anybody else sees them.
   *
   * @throws StaleBlockException if it was kept for too long already
   */
  public PacketBlock copy() {
    requireIntact();
    MemorySegment copy = Arena.ofAuto().allocate((long) count * RECORD_BYTES, RECORD_BYTES);
    for (int i = 0; i < count; i += copyRun(i, copy)) {
      // Runs of neighbours at once.
    }
    requireIntact();
    return gaps == null
        ? of(origin, copy, 0, count, lossBefore)
        : compact(origin, copy, gaps.clone(), lossBefore);
  }

  /** Copies the records from an index on that lie side by side; returns how many. */
  private int copyRun(int index, MemorySegment target) {
    int records = 1;
    long offset = offsetOf(index);
    while (index + records < count
        && offsetOf(index + records) == offset + (long) records * RECORD_BYTES) {
      records++;
    }
    MemorySegment.copy(
        segment, offset, target, (long) index * RECORD_BYTES, (long) records * RECORD_BYTES);
    return records;
  }

  /** Whether this block's memory is its own alone. */
  @SuppressWarnings("ReferenceEquality")
  public boolean isOwned() {
    return loan == OWNED;
  }

  /**
   * After the records were read or copied: were they still this block's?
   *
   * @throws StaleBlockException if not: the block was kept past the release of its memory, and what
   *     was read may be other packets
   */
  public void requireIntact() {
    if (count > 0 && !isIntact()) {
      throw new StaleBlockException(this);
    }
  }

  private boolean isIntact() {
    try {
      return loan.stands(positionOf(0));
    } catch (IllegalStateException ringIsClosed) {
      return false;
    }
  }

  public PacketBlockOrigin origin() {
    return origin;
  }

  /** Number of the ring among its tap's; several taps have rings of the same number. */
  public int ring() {
    return origin.ring();
  }

  /** Names the ring's packets everywhere, over restarts of tap and job. */
  public long stream() {
    return origin.stream();
  }

  /** Which start of the tap the positions belong to. */
  public long incarnation() {
    return origin.incarnation();
  }

  public boolean clockTrusted() {
    return origin.clockTrusted();
  }

  public long timeBaseNs() {
    return origin.timeBaseNs();
  }

  /** Packets of this stream lost between the block before this one and this one. */
  public PacketLoss lossBefore() {
    return lossBefore;
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
    return "PacketBlock{" + origin + ", count " + count + ", loss before " + lossBefore + "}";
  }
}
