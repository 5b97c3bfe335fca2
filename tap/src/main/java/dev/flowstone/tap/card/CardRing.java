// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.CardRingRegistersLayout;
import dev.flowstone.model.abi.CardRingStateLayout;
import dev.flowstone.model.abi.PacketRecordLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * One ring in the card's memory, from the host's side: how far it is written, its slots, what is
 * given back. One thread takes from it.
 *
 * <p>Publication: the card moves its head when the memory has answered the write; the host reads
 * the head, then has the slots copied, which returns when they are there. Before slots are given
 * back a full fence stands behind the last load from them, so that no load comes after the write
 * that lets the card write over them.
 */
final class CardRing {
  static final int SLOT_BYTES = (int) PacketRecordLayout.SIZE_BYTES;

  private final int number;
  private final Registers kernel;
  private final CardMemory memory;
  private final int slotsLog2;
  private final long state;

  /** The head that was read last. */
  private volatile long knownHead;

  CardRing(int number, Registers kernel, CardMemory memory, int slotsLog2) {
    this.number = number;
    this.kernel = kernel;
    this.memory = memory;
    this.slotsLog2 = slotsLog2;
    state = CardRingRegistersLayout.RINGS_OFFSET + number * CardRingStateLayout.SIZE_BYTES;
  }

  int number() {
    return number;
  }

  long slotCount() {
    return 1L << slotsLog2;
  }

  /**
   * Up to where slots are in the card's memory. The low word is enough, for the head is never more
   * than a ring ahead of what was given back.
   *
   * @param fetchedPosition up to where it was known to be, at most
   * @param doneWithPosition what was given back
   * @throws CardException if no ring could be there
   */
  long head(long fetchedPosition, long doneWithPosition) {
    int low = headLow();
    long head = fetchedPosition + Integer.toUnsignedLong(low - (int) fetchedPosition);
    if (head - doneWithPosition > slotCount()) {
      throw new CardException(
          "ring %d: the card says its head's low word is 0x%08x, but slots up to 0x%x only were given back: the card or its bus is out of order"
              .formatted(number, low, doneWithPosition));
    }
    knownHead = head;
    return head;
  }

  /** Copies slots from the card, in two pieces where they wrap. */
  void fetch(long position, long count) {
    long first = position & (slotCount() - 1);
    long untilEnd = Math.min(count, slotCount() - first);
    memory.fetch(first * SLOT_BYTES, untilEnd * SLOT_BYTES);
    if (untilEnd < count) {
      memory.fetch(0, (count - untilEnd) * SLOT_BYTES);
    }
    VarHandle.acquireFence();
  }

  MemorySegment slots() {
    return memory.host();
  }

  long offset(long position) {
    return (position & (slotCount() - 1)) * SLOT_BYTES;
  }

  /** How many slots there are from a position to the end of the ring's memory. */
  long untilWrap(long position) {
    return slotCount() - (position & (slotCount() - 1));
  }

  int generation(long position) {
    return PacketRecord.generation(position, slotsLog2);
  }

  /** Slots below may be written over. */
  void giveBack(long position) {
    VarHandle.fullFence();
    kernel.write(state + CardRingStateLayout.CREDIT_OFFSET, (int) position);
  }

  boolean isWriteFailed() {
    int status = kernel.read(state + CardRingStateLayout.STATUS_OFFSET);
    return (status >>> CardRingStateLayout.WRITE_FAILED_SHIFT
            & CardRingStateLayout.WRITE_FAILED_MASK)
        != 0;
  }

  /**
   * Offered last, so that what was written or dropped was offered, also here. For one thread, which
   * need not be the one that takes: of the head both read the low word alone.
   */
  CardRingCounters counters() {
    long known = knownHead;
    long head = known + Integer.toUnsignedLong(headLow() - (int) known);
    long dropped = kernel.counter(state + CardRingStateLayout.DROPPED_PACKETS_OFFSET);
    long written = kernel.counter(state + CardRingStateLayout.WRITTEN_PACKETS_OFFSET);
    long offered = kernel.counter(state + CardRingStateLayout.OFFERED_PACKETS_OFFSET);
    return new CardRingCounters(head, offered, written, dropped, isWriteFailed());
  }

  private int headLow() {
    return kernel.read(state + CardRingStateLayout.HEAD_OFFSET);
  }
}
