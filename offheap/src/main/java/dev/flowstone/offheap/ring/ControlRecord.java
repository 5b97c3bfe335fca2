// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.abi.LossRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import dev.flowstone.model.abi.TimeRecordLayout;
import java.lang.foreign.MemorySegment;

/**
 * A copy of what a slot says if it holds a TIME or LOSS record. Made before anything of it is
 * believed: the producer may have written over the slot meanwhile.
 */
record ControlRecord(
    int kind,
    int generation,
    long timeNs,
    boolean isClockTrusted,
    long offeredPackets,
    long lostBeforeTapSoFar,
    long lostPackets,
    long lostBeforeTap) {

  static ControlRecord copy(RingSlots slots, long position) {
    MemorySegment memory = slots.memory();
    long offset = slots.offset(position);
    return new ControlRecord(
        slots.kindAt(position),
        slots.generationAt(position),
        memory.get(RingHeader.LONG, offset + TimeRecordLayout.TIME_NS_OFFSET),
        memory.get(RingHeader.INT, offset + TimeRecordLayout.CLOCK_TRUSTED_OFFSET) != 0,
        memory.get(RingHeader.LONG, offset + TimeRecordLayout.OFFERED_PACKETS_OFFSET),
        memory.get(RingHeader.LONG, offset + TimeRecordLayout.LOST_BEFORE_TAP_OFFSET),
        memory.get(RingHeader.LONG, offset + LossRecordLayout.LOST_PACKETS_OFFSET),
        memory.get(RingHeader.LONG, offset + LossRecordLayout.LOST_BEFORE_TAP_OFFSET));
  }

  boolean isTime() {
    return kind == RecordKind.TIME;
  }

  boolean isLoss() {
    return kind == RecordKind.LOSS;
  }
}
