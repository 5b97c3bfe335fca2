// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static dev.flowstone.model.abi.RingFileHeaderLayout.RESERVED_SLOTS;

import dev.flowstone.model.abi.LossRecordLayout;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import dev.flowstone.model.abi.TimeRecordLayout;
import java.lang.foreign.MemorySegment;

/**
 * The producer's side of one ring: decides how far packets may be written, puts TIME and LOSS
 * records where they belong, drops and counts when there is no room, publishes.
 *
 * <p>Packets leave {@link RingFileHeaderLayout#RESERVED_SLOTS} slots free: two so that a LOSS and a
 * TIME record find room when readers come back, two for the last LOSS and TIME of all. One thread.
 */
final class RingWriter implements AutoCloseable {
  /** A TIME record stands at least this often, so that a reader can begin near any place. */
  static final long TIME_INTERVAL_NS = 1_000_000_000L;

  static final long TIME_INTERVAL_SLOTS = 1L << 16;
  private static final long FINAL_SLOTS = 2;

  private final RingFile file;
  private final RingHeader words;
  private final MemorySegment slots;
  private final RingTarget target;
  private final RingReservation reservation;

  private long reservedPosition;
  private long timePosition;
  private long controlCount;
  private long batchSlots;

  private long droppedPackets;
  private long lostRecorded;
  private long saturatedLengths;
  private long pendingLost;
  private long firstLostNs;
  private long lastLostNs;
  private long latestTimeNs;
  private boolean clockTrusted = true;

  RingWriter(RingFile file, RingTarget target) {
    this.file = file;
    this.words = file.words();
    this.slots = file.slots();
    this.target = target;
    reservation = new RingReservation(words, file.lanes()::leastHeld, file.identity().slotCount());
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
    int needed = pendingLost > 0 ? 2 : 1;
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
    if (!hasRoom((pendingLost > 0 ? 2 : 1) + RESERVED_SLOTS)) {
      return false;
    }
    putPendingLoss();
    openTarget();
    return true;
  }

  void drop(long timeNs) {
    if (pendingLost == 0) {
      firstLostNs = timeNs;
    }
    pendingLost++;
    lastLostNs = timeNs;
    droppedPackets++;
    target.setLimit(target.position());
  }

  /** Tells the time to an idle ring, so that its readers' watermarks go on. */
  void heartbeat(long nowNs, boolean trusted) {
    if (controlCount == 0 || nowNs - latestTimeNs >= TIME_INTERVAL_NS) {
      beginBatch(0);
      writeTime(nowNs, trusted, target.offeredPackets());
      publish();
    }
  }

  /** Lets readers see what was written. Counters first: who sees the position sees them. */
  void publish() {
    saturatedLengths += target.takeSaturatedLengths();
    words.setCounter(RingFileHeaderLayout.OFFERED_PACKETS_OFFSET, target.offeredPackets());
    words.setCounter(RingFileHeaderLayout.WRITTEN_PACKETS_OFFSET, target.writtenPackets());
    words.setCounter(RingFileHeaderLayout.DROPPED_PACKETS_OFFSET, droppedPackets);
    words.setCounter(RingFileHeaderLayout.LOST_RECORDED_OFFSET, lostRecorded);
    words.setCounter(RingFileHeaderLayout.SATURATED_LENGTHS_OFFSET, saturatedLengths);
    words.setCounter(RingFileHeaderLayout.OFFERED_BYTES_OFFSET, target.offeredBytes());
    words.setCounter(RingFileHeaderLayout.LATEST_TIME_NS_OFFSET, latestTimeNs);
    words.publishPosition(target.position());
    words.withdrawReserved(target.position());
  }

  /** Says the last word: what is still unsaid of losses, the final counters, the end. */
  void end() {
    batchSlots = RESERVED_SLOTS;
    reserve();
    if (hasRoom(FINAL_SLOTS)) {
      putPendingLoss();
      putTime(latestTimeNs, clockTrusted, target.offeredPackets());
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
    if (pendingLost > 0) {
      target.setLimit(target.position());
    } else {
      target.setLimit(
          Math.min(reservedPosition - RESERVED_SLOTS, timePosition + TIME_INTERVAL_SLOTS));
    }
  }

  private void putPendingLoss() {
    if (pendingLost == 0) {
      return;
    }
    long offset = file.slotOffset(target.position());
    slots.asSlice(offset, LossRecordLayout.SIZE_BYTES).fill((byte) 0);
    slots.set(RingHeader.LONG, offset + LossRecordLayout.LOST_PACKETS_OFFSET, pendingLost);
    slots.set(RingHeader.LONG, offset + LossRecordLayout.FIRST_LOST_NS_OFFSET, firstLostNs);
    slots.set(RingHeader.LONG, offset + LossRecordLayout.LAST_LOST_NS_OFFSET, lastLostNs);
    slots.set(RingHeader.LONG, offset + LossRecordLayout.DROPPED_PACKETS_OFFSET, droppedPackets);
    putControl(offset, RecordKind.LOSS);
    lostRecorded += pendingLost;
    pendingLost = 0;
  }

  private void putTime(long timeNs, boolean trusted, long offeredBefore) {
    long offset = file.slotOffset(target.position());
    slots.asSlice(offset, TimeRecordLayout.SIZE_BYTES).fill((byte) 0);
    slots.set(RingHeader.LONG, offset + TimeRecordLayout.TIME_NS_OFFSET, timeNs);
    slots.set(RingHeader.LONG, offset + TimeRecordLayout.OFFERED_PACKETS_OFFSET, offeredBefore);
    slots.set(
        RingHeader.LONG, offset + TimeRecordLayout.WRITTEN_PACKETS_OFFSET, target.writtenPackets());
    slots.set(RingHeader.LONG, offset + TimeRecordLayout.DROPPED_PACKETS_OFFSET, droppedPackets);
    slots.set(RingHeader.INT, offset + TimeRecordLayout.CLOCK_TRUSTED_OFFSET, trusted ? 1 : 0);
    timePosition = target.position();
    putControl(offset, RecordKind.TIME);
    target.setTimeBase(timeNs, trusted);
    latestTimeNs = timeNs;
    clockTrusted = trusted;
  }

  private void putControl(long offset, int kind) {
    long position = target.position();
    int generation = RingGeneration.of(position, file.identity().slotsLog2());
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
