// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.abi.LaneMode;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RingFileHeaderLayout;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * What a ring's producer and its readers share, in memory of one process: the words of the header,
 * and where its key-group table would be, sixteen slots. Small, so that jcstress can make many. The
 * steps that actors take on it are those of {@link RingWriter} and {@link RingReader}.
 */
class SharedRing {
  static final int SLOTS_LOG2 = 4;
  static final long SLOTS = 1L << SLOTS_LOG2;
  private static final long SLOTS_OFFSET = RingFileHeaderLayout.KEY_GROUP_TABLE_OFFSET;
  private static final long SLOTS_BYTES = SLOTS * RingFile.SLOT_BYTES;

  // An array of long, so that the words are aligned as in a file.
  private final MemorySegment memory =
      MemorySegment.ofArray(new long[(int) (SLOTS_OFFSET + SLOTS_BYTES) / Long.BYTES]);
  final RingHeader words = new RingHeader(memory);
  final RingLanes lanes = new RingLanes(memory, words, turn());
  final RingSlots slots = new RingSlots(memory.asSlice(SLOTS_OFFSET, SLOTS_BYTES), SLOTS_LOG2);
  final RingReservation reservation = new RingReservation(words, lanes::leastHeld, SLOTS);
  final RingWindow window = new RingWindow(Path.of("memory"), words, SLOTS);

  SharedRing() {
    this(0);
  }

  /** The producer wrote and published everything below a position. */
  SharedRing(long published) {
    publish(words, published);
  }

  /** One reader claims at a time; cases with rivals say how they take turns. */
  ClaimTurn turn() {
    return () -> () -> {};
  }

  static LaneOwner gating(String name) {
    return new LaneOwner(name, LaneMode.GATING, RingReader.USUAL_EXPIRY);
  }

  static void publish(RingHeader words, long position) {
    words.publishPosition(position);
    words.withdrawReserved(position);
  }

  static void writeSlot(RingSlots slots, long position, long value) {
    slots.memory().set(RingHeader.LONG, slots.offset(position), value);
  }

  final long readSlot(long position) {
    return slots.memory().get(RingHeader.LONG, slots.offset(position));
  }

  static void writeKind(RingSlots slots, long position, int kind) {
    slots
        .memory()
        .set(
            RingHeader.INT,
            slots.offset(position) + PacketRecordLayout.DESCRIPTOR_OFFSET,
            kind << PacketRecordLayout.KIND_SHIFT);
  }
}
