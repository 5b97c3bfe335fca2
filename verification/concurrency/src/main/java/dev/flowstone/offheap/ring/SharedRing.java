// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.offheap.ring;

import dev.flowstone.model.abi.RingFileHeaderLayout;
import java.lang.foreign.MemorySegment;

/**
 * What a ring's producer and its readers share, in memory of one process: the words of the header,
 * and where its key-group table would be, one slot. Small, so that jcstress can make many.
 */
class SharedRing {
  static final long SLOT_OFFSET = RingFileHeaderLayout.KEY_GROUP_TABLE_OFFSET;

  // An array of long, so that the words are aligned as in a file.
  final MemorySegment memory =
      MemorySegment.ofArray(new long[(int) (SLOT_OFFSET + RingFile.SLOT_BYTES) / Long.BYTES]);
  final RingHeader words = new RingHeader(memory);
  final RingLanes lanes = new RingLanes(memory, words);

  final void writeSlot(long value) {
    memory.set(RingHeader.LONG, SLOT_OFFSET, value);
  }

  final long readSlot() {
    return memory.get(RingHeader.LONG, SLOT_OFFSET);
  }
}
