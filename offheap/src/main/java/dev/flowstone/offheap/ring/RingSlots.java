// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.PacketRecord;
import dev.flowstone.model.abi.PacketRecordLayout;
import java.lang.foreign.MemorySegment;

/** The slots of a ring by position, and what their descriptors say. */
final class RingSlots {
  private final MemorySegment memory;
  private final int slotsLog2;

  RingSlots(MemorySegment memory, int slotsLog2) {
    this.memory = memory;
    this.slotsLog2 = slotsLog2;
  }

  static RingSlots of(RingFile file) {
    return new RingSlots(file.slots(), file.identity().slotsLog2());
  }

  MemorySegment memory() {
    return memory;
  }

  long count() {
    return 1L << slotsLog2;
  }

  long offset(long position) {
    return (position & (count() - 1)) * RingFile.SLOT_BYTES;
  }

  int kindAt(long position) {
    return kind(descriptorAt(position));
  }

  int generationAt(long position) {
    return generation(descriptorAt(position));
  }

  /** The generation that the record of a position bears. */
  int generationOf(long position) {
    return PacketRecord.generation(position, slotsLog2);
  }

  private int descriptorAt(long position) {
    return memory.get(RingHeader.INT, offset(position) + PacketRecordLayout.DESCRIPTOR_OFFSET);
  }

  private static int kind(int descriptor) {
    return descriptor >>> PacketRecordLayout.KIND_SHIFT & PacketRecordLayout.KIND_MASK;
  }

  private static int generation(int descriptor) {
    return descriptor >>> PacketRecordLayout.GENERATION_SHIFT;
  }
}
