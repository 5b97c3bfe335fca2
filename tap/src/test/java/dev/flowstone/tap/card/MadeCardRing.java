// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.card;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.CardRingRegistersLayout;
import dev.flowstone.model.abi.CardRingStateLayout;
import dev.flowstone.model.abi.LossRecordLayout;
import dev.flowstone.model.abi.PacketRecordLayout;
import dev.flowstone.model.abi.RecordKind;
import dev.flowstone.model.abi.TimeRecordLayout;
import dev.flowstone.offheap.NativeCallException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A ring of a card, written slot by slot by a test, with memory of the card's and of the host's
 * that differ until a part is fetched. Packets are numbered in their sequence field.
 */
final class MadeCardRing implements Registers, CardMemory {
  static final int SLOTS_LOG2 = 10;
  static final int SLOTS = 1 << SLOTS_LOG2;
  static final int RING = 0;

  private static final ValueLayout.OfLong U64 =
      ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt U32 =
      ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final long STATE = CardRingRegistersLayout.RINGS_OFFSET;
  private static final int EIO = 5;

  private final MemorySegment card =
      Arena.ofAuto().allocate((long) SLOTS * CardRing.SLOT_BYTES, 64);
  private final MemorySegment host =
      Arena.ofAuto().allocate((long) SLOTS * CardRing.SLOT_BYTES, 64);

  long head;
  long credit;
  int offered;
  int dropped;
  int failures;
  Integer headLow;
  Runnable beforeFetch = () -> {};
  int fetches;

  CardRing ring() {
    return new CardRing(RING, this, this, SLOTS_LOG2);
  }

  /** As many packets as fit. */
  void packets(int count, long timeNs) {
    for (int i = 0; i < count; i++) {
      packet(timeNs);
    }
  }

  void packet(long timeNs) {
    long at = put(RecordKind.IPV4);
    card.set(U32, at + PacketRecordLayout.TIME_LOW_OFFSET, (int) timeNs);
    card.set(U32, at + PacketRecordLayout.SEQUENCE_OFFSET, offered++);
    card.set(
        U32,
        at + PacketRecordLayout.DESCRIPTOR_OFFSET,
        card.get(U32, at + PacketRecordLayout.DESCRIPTOR_OFFSET) | 100);
  }

  void packetOfFlow(int flowHash) {
    long at = offset(head);
    packet(0);
    card.set(U32, at + PacketRecordLayout.FLOW_HASH_OFFSET, flowHash);
  }

  void time(long timeNs) {
    long at = put(RecordKind.TIME);
    card.set(U64, at + TimeRecordLayout.TIME_NS_OFFSET, timeNs);
    card.set(U64, at + TimeRecordLayout.OFFERED_PACKETS_OFFSET, offered);
    card.set(U64, at + TimeRecordLayout.DROPPED_PACKETS_OFFSET, dropped);
    card.set(U32, at + TimeRecordLayout.CLOCK_TRUSTED_OFFSET, 1);
  }

  /** Packets that found no room, and the record that tells of them. */
  void loss(int packets, long timeNs) {
    offered += packets;
    dropped += packets;
    long at = put(RecordKind.LOSS);
    card.set(U64, at + LossRecordLayout.LOST_PACKETS_OFFSET, packets);
    card.set(U64, at + LossRecordLayout.LAST_LOST_NS_OFFSET, timeNs);
  }

  private long put(int kind) {
    long position = head++;
    long at = offset(position);
    card.asSlice(at, CardRing.SLOT_BYTES).fill((byte) 0);
    card.set(
        U32,
        at + PacketRecordLayout.DESCRIPTOR_OFFSET,
        kind << PacketRecordLayout.KIND_SHIFT
            | PacketRecord.generation(position, SLOTS_LOG2) << PacketRecordLayout.GENERATION_SHIFT);
    return at;
  }

  /** Makes a slot what it was a lap ago, and gives what stood there. */
  byte[] spoil(long position) {
    return spoil(position, 0);
  }

  /** The same for a slot whose first bytes are there. */
  byte[] spoil(long position, int keptBytes) {
    MemorySegment slot = slot(position);
    byte[] was = slot.toArray(ValueLayout.JAVA_BYTE);
    slot.asSlice(keptBytes).fill((byte) 0);
    return was;
  }

  void repair(long position, byte[] was) {
    slot(position).copyFrom(MemorySegment.ofArray(was));
  }

  private MemorySegment slot(long position) {
    return card.asSlice(offset(position), CardRing.SLOT_BYTES);
  }

  private static long offset(long position) {
    return (position & (SLOTS - 1)) * CardRing.SLOT_BYTES;
  }

  @Override
  public int read(long offset) {
    if (offset == STATE + CardRingStateLayout.HEAD_OFFSET) {
      return headLow == null ? (int) head : headLow;
    }
    return 0;
  }

  @Override
  public void write(long offset, int value) {
    if (offset == STATE + CardRingStateLayout.CREDIT_OFFSET) {
      credit += value - (int) credit;
    }
  }

  @Override
  public MemorySegment host() {
    return host;
  }

  @Override
  public void fetch(long offsetBytes, long sizeBytes) {
    fetches++;
    beforeFetch.run();
    if (failures > 0) {
      failures--;
      throw new NativeCallException("xrtBOSync()", EIO);
    }
    MemorySegment.copy(card, offsetBytes, host, offsetBytes, sizeBytes);
  }
}
