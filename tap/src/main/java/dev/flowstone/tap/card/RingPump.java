// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.LossRecordLayout;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import dev.flowstone.model.abi.TimeRecordLayout;
import dev.flowstone.offheap.NativeCallException;
import dev.flowstone.offheap.ring.RingAppender;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/**
 * Carries the records of one ring of a card into the ring file of the same number: fetches what the
 * head says is there, holds each slot's generation against the one expected, copies the packets by
 * the run, and gives the slots back. One thread pumps; any may ask for counters.
 *
 * <p>No object per packet, and none per batch.
 */
final class RingPump {
  /** 1 MiB: larger copies from the card gain nothing, and leave the processor's cache. */
  static final int MOST_SLOTS = 16_384;

  /** Dropped at a time, before it is asked again whether there is room. */
  private static final int DROP_SLOTS = 64;

  /** How often a slot is fetched that is not what the head says, within 32 ms in all. */
  private static final int MOST_FETCHES = 8;

  /** Before the second of these; doubled before each that follows. */
  private static final long FETCH_PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(250);

  /** How often a copy is tried that fails. */
  private static final int MOST_TRIES = 5;

  /** Doubled after each that failed. */
  private static final long TRY_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final ValueLayout.OfLong U64 =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt U32 =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** What came of a look at the ring. */
  enum Outcome {
    /** There was nothing. */
    IDLE,
    /** All that was there is in the file. */
    TAKEN,
    /** The file has no room for what is there. */
    FULL
  }

  private final CardRing ring;
  private final RingAppender file;
  private final RingAccount account;
  private final int maxParallelism;
  private final byte[] ringOfKeyGroup;

  /** Slots below are in the file, or told as lost, and given back. */
  private long donePosition;

  /** The same, for others to see once the card has it. */
  private volatile long givenBackPosition;

  /** Slots below were fetched. */
  private long fetchedPosition;

  /** Slots below were fetched as often as any is: what is not there now will not come. */
  private long triedPosition;

  private long baseNs;
  private boolean isDated;

  private final LongAdder packets = new LongAdder();
  private final LongAdder fetches = new LongAdder();
  private final LongAdder fetchedSlots = new LongAdder();
  private final LongAdder failedFetches = new LongAdder();
  private final LongAdder repeatedFetches = new LongAdder();
  private final LongAdder damagedSlots = new LongAdder();
  private final LongAdder misplacedRecords = new LongAdder();

  /**
   * @param startNs when the card's kernels were started, by its clock
   */
  RingPump(CardRing ring, RingAppender file, RingAccount account, CardShape shape, long startNs) {
    this.ring = ring;
    this.file = file;
    this.account = account;
    maxParallelism = shape.maxParallelism();
    ringOfKeyGroup = KeyGroups.ringTable(maxParallelism, shape.ringCount());
    baseNs = startNs;
  }

  /** How many slots wait in the card, as it says now. */
  long waiting() {
    return ring.head(fetchedPosition, donePosition) - donePosition;
  }

  /**
   * Takes up to {@link #MOST_SLOTS} slots.
   *
   * @param mayWait whether packets that find no room stay in the card; else the file drops them
   */
  Outcome pump(boolean mayWait) {
    if (donePosition == fetchedPosition && !fetch()) {
      return Outcome.IDLE;
    }
    long began = donePosition;
    boolean hadRoom = takeFetched(mayWait);
    if (donePosition > began) {
      ring.giveBack(donePosition);
      givenBackPosition = donePosition;
    }
    return hadRoom ? Outcome.TAKEN : Outcome.FULL;
  }

  private boolean fetch() {
    long head = ring.head(fetchedPosition, donePosition);
    long count = Math.min(head - fetchedPosition, MOST_SLOTS);
    if (count == 0) {
      return false;
    }
    fetch(fetchedPosition, count);
    fetchedPosition += count;
    return true;
  }

  private void fetch(long position, long count) {
    for (int tries = 1; ; tries++) {
      try {
        ring.fetch(position, count);
        fetches.increment();
        fetchedSlots.add(count);
        return;
      } catch (NativeCallException e) {
        failedFetches.increment();
        if (tries == MOST_TRIES) {
          throw e;
        }
        LockSupport.parkNanos(TRY_PAUSE_NS << tries);
      }
    }
  }

  /** False: the file has no room. */
  private boolean takeFetched(boolean mayWait) {
    while (donePosition < fetchedPosition) {
      int run = packetsFrom(donePosition);
      if (run == 0) {
        takeOther();
      } else if (!takePackets(run, mayWait)) {
        return false;
      }
    }
    return true;
  }

  /** How many packets follow one another that are where and what they should be. */
  private int packetsFrom(long position) {
    MemorySegment slots = ring.slots();
    long most = Math.min(fetchedPosition - position, ring.untilWrap(position));
    int generation = ring.generation(position);
    long at = ring.offset(position) + PacketRecordLayout.DESCRIPTOR_OFFSET;
    int count = 0;
    while (count < most) {
      int descriptor = slots.get(U32, at);
      if (descriptor >>> PacketRecordLayout.GENERATION_SHIFT != generation
          || !PacketRecord.isPacket(PacketRecord.kind(descriptor))) {
        break;
      }
      count++;
      at += CardRing.SLOT_BYTES;
    }
    return count;
  }

  private boolean takePackets(int run, boolean mayWait) {
    long at = ring.offset(donePosition);
    lookAtPlace(at);
    int taken = file.append(ring.slots(), at, run, baseNs, isDated);
    done(taken);
    if (taken == run) {
      return true;
    }
    if (!mayWait) {
      int dropped = Math.min(run - taken, DROP_SLOTS);
      file.drop(ring.slots(), ring.offset(donePosition), dropped, baseNs);
      done(dropped);
    }
    return !mayWait;
  }

  private void done(int taken) {
    donePosition += taken;
    account.took(taken);
    packets.add(taken);
  }

  /** One record of each run: does it belong here? A card with a wrong table would spoil results. */
  private void lookAtPlace(long at) {
    int keyGroup = KeyGroups.keyGroup(PacketRecord.flowHash(ring.slots(), at), maxParallelism);
    if (Byte.toUnsignedInt(ringOfKeyGroup[keyGroup]) != ring.number()) {
      misplacedRecords.increment();
    }
  }

  private void takeOther() {
    if (!isThere(donePosition) && !becomesThere(donePosition)) {
      // It may have been a TIME record: what follows has no time until the next one.
      isDated = false;
      damagedSlots.increment();
      donePosition++;
      return;
    }
    int descriptor = descriptor(donePosition);
    long at = ring.offset(donePosition);
    switch (PacketRecord.kind(descriptor)) {
      case RecordKind.TIME -> takeTime(ring.slots(), at);
      case RecordKind.LOSS -> takeLoss(ring.slots(), at);
      default -> {
        return; // a packet that is there now
      }
    }
    donePosition++;
  }

  private int descriptor(long position) {
    return PacketRecord.descriptor(ring.slots(), ring.offset(position));
  }

  private boolean isThere(long position) {
    int descriptor = descriptor(position);
    return PacketRecord.generation(descriptor) == ring.generation(position)
        && PacketRecord.kind(descriptor) != RecordKind.FREE;
  }

  /**
   * The head went ahead of the memory, or the copy met a write: fetched again, it may be there. A
   * memory that is broken costs this wait once for all that was fetched, not for each slot.
   */
  private boolean becomesThere(long position) {
    if (position < triedPosition) {
      return false;
    }
    for (int tries = 0; tries < MOST_FETCHES; tries++) {
      if (tries > 0) {
        LockSupport.parkNanos(FETCH_PAUSE_NS << (tries - 1));
      }
      repeatedFetches.increment();
      fetch(position, fetchedPosition - position);
      if (isThere(position)) {
        return true;
      }
    }
    triedPosition = fetchedPosition;
    return false;
  }

  private void takeTime(MemorySegment slots, long at) {
    baseNs = slots.get(U64, at + TimeRecordLayout.TIME_NS_OFFSET);
    isDated = slots.get(U32, at + TimeRecordLayout.CLOCK_TRUSTED_OFFSET) != 0;
    account.settle(
        slots.get(U64, at + TimeRecordLayout.OFFERED_PACKETS_OFFSET),
        slots.get(U64, at + TimeRecordLayout.DROPPED_PACKETS_OFFSET),
        baseNs,
        CardLoss.DAMAGED);
    file.heartbeat(baseNs, isDated);
  }

  private void takeLoss(MemorySegment slots, long at) {
    account.dropped(
        slots.get(U64, at + LossRecordLayout.LOST_PACKETS_OFFSET),
        slots.get(U64, at + LossRecordLayout.LAST_LOST_NS_OFFSET));
  }

  /** Slots below may be written over. Any thread. */
  long givenBackPosition() {
    return givenBackPosition;
  }

  /** What the ring was told last of the time. */
  long timeNs() {
    return baseNs;
  }

  PumpCounters counters() {
    return new PumpCounters(
        packets.sum(),
        fetches.sum(),
        fetchedSlots.sum() * CardRing.SLOT_BYTES,
        failedFetches.sum(),
        repeatedFetches.sum(),
        damagedSlots.sum(),
        account.surplusPackets(),
        misplacedRecords.sum());
  }
}
