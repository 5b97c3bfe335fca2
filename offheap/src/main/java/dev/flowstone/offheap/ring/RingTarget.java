// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.flowstone.model.abi.RingTargetLayout;
import java.lang.foreign.MemorySegment;

/** One ring_target in the array that the parser library's scatter works on. */
final class RingTarget {
  private final MemorySegment target;

  RingTarget(MemorySegment target) {
    this.target = target;
  }

  void begin(long slotsAddress, int slotsLog2) {
    target.fill((byte) 0);
    target.set(RingHeader.LONG, RingTargetLayout.SLOTS_ADDRESS_OFFSET, slotsAddress);
    target.set(JAVA_BYTE, RingTargetLayout.SLOTS_LOG2_OFFSET, (byte) slotsLog2);
    target.set(JAVA_BYTE, RingTargetLayout.NEEDS_TIME_OFFSET, (byte) 1);
  }

  long position() {
    return target.get(RingHeader.LONG, RingTargetLayout.POSITION_OFFSET);
  }

  void setPosition(long position) {
    target.set(RingHeader.LONG, RingTargetLayout.POSITION_OFFSET, position);
  }

  long limit() {
    return target.get(RingHeader.LONG, RingTargetLayout.LIMIT_OFFSET);
  }

  void setLimit(long limit) {
    target.set(RingHeader.LONG, RingTargetLayout.LIMIT_OFFSET, limit);
  }

  void setTimeBase(long timeNs, boolean trusted) {
    target.set(RingHeader.LONG, RingTargetLayout.TIME_BASE_NS_OFFSET, timeNs);
    target.set(JAVA_BYTE, RingTargetLayout.UNTIMED_OFFSET, (byte) (trusted ? 0 : 1));
    target.set(JAVA_BYTE, RingTargetLayout.NEEDS_TIME_OFFSET, (byte) 0);
  }

  long offeredPackets() {
    return target.get(RingHeader.LONG, RingTargetLayout.OFFERED_PACKETS_OFFSET);
  }

  long offeredBytes() {
    return target.get(RingHeader.LONG, RingTargetLayout.OFFERED_BYTES_OFFSET);
  }

  /** Lets a scatter drop the packets of this ring, instead of stopping for each. */
  void startDropping() {
    setLimit(position());
    target.set(JAVA_BYTE, RingTargetLayout.DROPPING_OFFSET, (byte) 1);
  }

  /** Returns whether it was dropping. */
  boolean stopDropping() {
    boolean isDropping = target.get(JAVA_BYTE, RingTargetLayout.DROPPING_OFFSET) != 0;
    target.set(JAVA_BYTE, RingTargetLayout.DROPPING_OFFSET, (byte) 0);
    return isDropping;
  }

  long lastDroppedNs() {
    return target.get(RingHeader.LONG, RingTargetLayout.LAST_DROPPED_NS_OFFSET);
  }

  /** Packets that met the ring elsewhere than in a scatter. */
  void countOffered(long packets, long bytes) {
    add(RingTargetLayout.OFFERED_PACKETS_OFFSET, packets);
    add(RingTargetLayout.OFFERED_BYTES_OFFSET, bytes);
  }

  /** Of these, those that stand in the slots from the position on. */
  void countWritten(long packets) {
    add(RingTargetLayout.POSITION_OFFSET, packets);
  }

  private void add(long offset, long more) {
    target.set(RingHeader.LONG, offset, target.get(RingHeader.LONG, offset) + more);
  }

  int takeSaturatedLengths() {
    int taken = target.get(RingHeader.INT, RingTargetLayout.SATURATED_LENGTHS_OFFSET);
    target.set(RingHeader.INT, RingTargetLayout.SATURATED_LENGTHS_OFFSET, 0);
    return taken;
  }
}
