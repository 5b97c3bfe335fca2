// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static dev.flowstone.model.abi.RingFileHeaderLayout.RESERVED_SLOTS;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.LossRecordLayout;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.model.abi.TimeRecordLayout;
import java.lang.foreign.MemorySegment;
import java.util.OptionalLong;

/**
 * The producer's side of one ring: decides how far packets may be written, puts TIME and LOSS
 * records where they belong, drops and counts when there is no room, publishes.
 *
 * <p>Packets leave {@link RingFileHeaderLayout#RESERVED_SLOTS} slots free: two so that a LOSS and a
 * TIME record find room when readers come back, two for the last LOSS and TIME of all. One thread.
 */
final class RingWriter implements AutoCloseable {
  /** A TIME record stands at least this often, so that a reader can begin near any place. */
  static final long TIME_INTERVAL_SLOTS = 1L << 16;

  private static final long FINAL_SLOTS = 2;

  /**
   * What records that are appended may need beside their own slots: LOSS, TIME, what stays free.
   */
  private static final long APPEND_SLOTS = 2 + RESERVED_SLOTS;

  /** 16 KiB. */
  private static final int COPY_SLOTS = 256;

  private static final int NO_GENERATION =
      ~(PacketRecordLayout.GENERATION_MASK << PacketRecordLayout.GENERATION_SHIFT);

  private final RingFile file;
  private final RingHeader words;
  private final MemorySegment slots;
  private final RingTarget target;
  private final RingReservation reservation;
  private final AbandonedLanes abandoned;

  private long reservedPosition;
  private long timePosition;
  private long controlCount;
  private long batchSlots;

  private final PendingLoss pending = new PendingLoss();
  private long droppedPackets;
  private long lostRecorded;
  private long lostBeforeTap;
  private long lostBeforeTapRecorded;
  private long saturatedLengths;
  private long otherClockPackets;
  private boolean isTimed;
  private long latestTimeNs;
  private boolean clockTrusted = true;

  RingWriter(RingFile file, RingTarget target) {
    this.file = file;
    this.words = file.words();
    this.slots = file.slots();
    this.target = target;
    reservation = new RingReservation(words, file.lanes()::leastHeld, file.identity().slotCount());
    abandoned = new AbandonedLanes(file.lanes());
    target.begin(slots.address(), file.identity().slotsLog2());
  }

  RingFile file() {
    return file;
  }

  /**
   * Makes room for a batch: each of its packets may need a TIME record before it. What is announced
   * is lost to readers that only observe, so a large batch takes half a ring at a time.
   */
  void beginBatch(int packets) {
    batchSlots = Math.min(2L * packets + RESERVED_SLOTS, file.identity().slotCount() / 2);
    reserve();
    if (!hasRoom(batchSlots) && abandoned.free()) {
      reserve();
    }
    openTarget();
  }

  /**
   * A packet needs the clock told before it. False: there is no room for that, so the packet must
   * be dropped.
   */
  boolean writeTime(long timeNs, boolean trusted) {
    // The packet has met the ring, so it is counted, but it comes after the record.
    return writeTime(timeNs, trusted, target.offeredPackets() - 1);
  }

  private boolean writeTime(long timeNs, boolean trusted, long offeredBefore) {
    int needed = pending.isNone() ? 1 : 2;
    if (!hasRoom(needed + FINAL_SLOTS)) {
      reserve();
      if (!hasRoom(needed + FINAL_SLOTS)) {
        return false;
      }
    }
    putPendingLoss();
    putTime(timeNs, trusted, offeredBefore);
    openTarget();
    return true;
  }

  /** A packet found no room. True: there is some now, try again; false: drop it. */
  boolean makeRoom(long timeNs, boolean trusted) {
    if (target.position() >= timePosition + TIME_INTERVAL_SLOTS) {
      return writeTime(timeNs, trusted);
    }
    reserve();
    if (!hasRoom((pending.isNone() ? 1 : 2) + RESERVED_SLOTS)) {
      return false;
    }
    putPendingLoss();
    openTarget();
    return true;
  }

  /**
   * Writes records that another ring held, as far as there is room, and publishes them.
   *
   * @param baseNs what their times count from
   * @return how many, from the first on; the others have not met the ring
   */
  int append(MemorySegment records, long offsetBytes, int count, long baseNs, boolean trusted) {
    batchSlots = Math.min((long) count + APPEND_SLOTS, file.identity().slotCount() / 2);
    reserve();
    if (!hasRoom(batchSlots) && abandoned.free()) {
      reserve();
    }
    openTarget();
    int done = 0;
    while (done < count && makeWayFor(baseNs, trusted)) {
      int room = (int) Math.min(count - done, target.limit() - target.position());
      done += copyRun(records, offsetBytes + (long) done * RingFile.SLOT_BYTES, room);
    }
    publish();
    return done;
  }

  /** Whether a packet may stand next whose time counts from that base. */
  private boolean makeWayFor(long baseNs, boolean trusted) {
    boolean hearsBase = isTimed && latestTimeNs == baseNs && clockTrusted == trusted;
    if (!hearsBase || target.position() >= timePosition + TIME_INTERVAL_SLOTS) {
      writeTime(baseNs, trusted, target.offeredPackets());
    } else if (target.position() >= target.limit()) {
      makeRoom(baseNs, trusted);
    }
    return target.position() < target.limit();
  }

  /** Copies up to the end of the ring, a part at a time that stays in the processor's cache. */
  private int copyRun(MemorySegment records, long offsetBytes, int most) {
    long position = target.position();
    long slot = position & (file.identity().slotCount() - 1);
    int count = (int) Math.min(Math.min(most, COPY_SLOTS), file.identity().slotCount() - slot);
    long at = slot * RingFile.SLOT_BYTES;
    MemorySegment.copy(records, offsetBytes, slots, at, (long) count * RingFile.SLOT_BYTES);
    int tag =
        PacketRecord.generation(position, file.identity().slotsLog2())
            << PacketRecordLayout.GENERATION_SHIFT;
    long bytes = 0;
    long end = at + (long) count * RingFile.SLOT_BYTES;
    for (long each = at + PacketRecordLayout.DESCRIPTOR_OFFSET;
        each < end;
        each += RingFile.SLOT_BYTES) {
      int descriptor = slots.get(RingHeader.INT, each);
      bytes += PacketRecord.frameLength(descriptor);
      slots.set(RingHeader.INT, each, (descriptor & NO_GENERATION) | tag);
    }
    target.countOffered(count, bytes);
    target.countWritten(count);
    return count;
  }

  /** Gives up a packet that another ring held, and that has not met this one. */
  void refuse(int frameBytes, long timeNs) {
    target.countOffered(1, frameBytes);
    drop(timeNs);
  }

  /** Drops a packet, and all that come before the next {@link #publish}. */
  void drop(long timeNs) {
    pending.dropped(timeNs);
    droppedPackets++;
    target.startDropping();
  }

  /** Counts what a scatter dropped since {@link #drop}. */
  private void countDropped() {
    long dropped = target.offeredPackets() - writtenPackets() - droppedPackets;
    if (target.stopDropping() && dropped > 0) {
      pending.droppedMore(dropped, target.lastDroppedNs());
      droppedPackets += dropped;
    }
  }

  /** What stands in the slots besides TIME and LOSS records. */
  private long writtenPackets() {
    return target.position() - controlCount;
  }

  /** Packets that were lost before anybody could offer them; told before the next packet. */
  void loseBeforeTap(long packets, long timeNs) {
    pending.beforeTap(packets, timeNs);
    lostBeforeTap += packets;
    target.setLimit(target.position());
  }

  void countOtherClock(long packets) {
    otherClockPackets += packets;
  }

  /** The latest time that the ring was told, if that is one to trust. */
  OptionalLong trustedTimeNs() {
    return isTimed && clockTrusted ? OptionalLong.of(latestTimeNs) : OptionalLong.empty();
  }

  AbandonedLanes abandonedLanes() {
    return abandoned;
  }

  /** Tells the time to an idle ring, so that its readers' watermarks go on. */
  void heartbeat(long nowNs, boolean trusted) {
    if (!isTimed || nowNs - latestTimeNs >= TimeRecordLayout.INTERVAL_NS) {
      beginBatch(0);
      writeTime(nowNs, trusted, target.offeredPackets());
      publish();
    }
  }

  /** Lets readers see what was written. Counters first: who sees the position sees them. */
  void publish() {
    countDropped();
    saturatedLengths += target.takeSaturatedLengths();
    words.setCounter(RingFileHeaderLayout.OFFERED_PACKETS_OFFSET, target.offeredPackets());
    words.setCounter(RingFileHeaderLayout.WRITTEN_PACKETS_OFFSET, writtenPackets());
    words.setCounter(RingFileHeaderLayout.DROPPED_PACKETS_OFFSET, droppedPackets);
    words.setCounter(RingFileHeaderLayout.LOST_RECORDED_OFFSET, lostRecorded);
    words.setCounter(RingFileHeaderLayout.SATURATED_LENGTHS_OFFSET, saturatedLengths);
    words.setCounter(RingFileHeaderLayout.OFFERED_BYTES_OFFSET, target.offeredBytes());
    words.setCounter(RingFileHeaderLayout.LATEST_TIME_NS_OFFSET, latestTimeNs);
    words.setCounter(RingFileHeaderLayout.LOST_BEFORE_TAP_OFFSET, lostBeforeTap);
    words.setCounter(RingFileHeaderLayout.LOST_BEFORE_TAP_RECORDED_OFFSET, lostBeforeTapRecorded);
    words.setCounter(RingFileHeaderLayout.EXPIRED_LANES_OFFSET, abandoned.freedCount());
    words.setCounter(RingFileHeaderLayout.OTHER_CLOCK_PACKETS_OFFSET, otherClockPackets);
    words.publishPosition(target.position());
    words.withdrawReserved(target.position());
  }

  /**
   * Says the last word: what is still unsaid of losses, the final counters, the end.
   *
   * @param tapTimeNs the latest trusted time of all rings, if any: a ring that never heard any time
   *     ends with it
   */
  void end(OptionalLong tapTimeNs) {
    batchSlots = RESERVED_SLOTS;
    reserve();
    if (hasRoom(FINAL_SLOTS)) {
      putPendingLoss();
      if (isTimed || tapTimeNs.isPresent()) {
        long timeNs = isTimed ? latestTimeNs : tapTimeNs.getAsLong();
        putTime(timeNs, clockTrusted, target.offeredPackets());
      }
    }
    publish();
    words.publishEnded();
  }

  private boolean hasRoom(long neededSlots) {
    return target.position() + neededSlots <= reservedPosition;
  }

  private void reserve() {
    reservedPosition = reservation.reserve(target.position(), batchSlots);
  }

  private void openTarget() {
    if (pending.isNone()) {
      target.setLimit(
          Math.min(reservedPosition - RESERVED_SLOTS, timePosition + TIME_INTERVAL_SLOTS));
    } else {
      target.setLimit(target.position());
    }
  }

  private void putPendingLoss() {
    if (pending.isNone()) {
      return;
    }
    long offset = file.slotOffset(target.position());
    slots.asSlice(offset, LossRecordLayout.SIZE_BYTES).fill((byte) 0);
    putWord(offset + LossRecordLayout.LOST_PACKETS_OFFSET, pending.packets());
    putWord(offset + LossRecordLayout.FIRST_LOST_NS_OFFSET, pending.firstNs());
    putWord(offset + LossRecordLayout.LAST_LOST_NS_OFFSET, pending.lastNs());
    putWord(offset + LossRecordLayout.DROPPED_PACKETS_OFFSET, droppedPackets);
    putWord(offset + LossRecordLayout.LOST_BEFORE_TAP_OFFSET, pending.beforeTap());
    putWord(offset + LossRecordLayout.LOST_BEFORE_TAP_TOTAL_OFFSET, lostBeforeTap);
    putControl(offset, RecordKind.LOSS);
    lostRecorded += pending.packets();
    lostBeforeTapRecorded += pending.beforeTap();
    pending.told();
  }

  private void putTime(long timeNs, boolean trusted, long offeredBefore) {
    long offset = file.slotOffset(target.position());
    slots.asSlice(offset, TimeRecordLayout.SIZE_BYTES).fill((byte) 0);
    putWord(offset + TimeRecordLayout.TIME_NS_OFFSET, timeNs);
    putWord(offset + TimeRecordLayout.OFFERED_PACKETS_OFFSET, offeredBefore);
    putWord(offset + TimeRecordLayout.WRITTEN_PACKETS_OFFSET, writtenPackets());
    putWord(offset + TimeRecordLayout.DROPPED_PACKETS_OFFSET, droppedPackets);
    putWord(offset + TimeRecordLayout.LOST_BEFORE_TAP_OFFSET, lostBeforeTapRecorded);
    slots.set(RingHeader.INT, offset + TimeRecordLayout.CLOCK_TRUSTED_OFFSET, trusted ? 1 : 0);
    timePosition = target.position();
    putControl(offset, RecordKind.TIME);
    target.setTimeBase(timeNs, trusted);
    isTimed = true;
    latestTimeNs = timeNs;
    clockTrusted = trusted;
  }

  private void putWord(long offset, long value) {
    slots.set(RingHeader.LONG, offset, value);
  }

  private void putControl(long offset, int kind) {
    long position = target.position();
    int generation = PacketRecord.generation(position, file.identity().slotsLog2());
    slots.set(
        RingHeader.INT,
        offset + PacketRecordLayout.DESCRIPTOR_OFFSET,
        kind << PacketRecordLayout.KIND_SHIFT | generation << PacketRecordLayout.GENERATION_SHIFT);
    words.addControl(controlCount++, position);
    target.setPosition(position + 1);
  }

  @Override
  public void close() {
    file.close();
  }
}
