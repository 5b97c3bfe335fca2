// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.blocks;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory for blocks that came over the network, off the heap. Many share one allocation, which the
 * garbage collector takes back when none of them is reachable: one for each block would keep it
 * busy. One thread.
 */
final class BlockMemory {
  /** Room for the usual block sixteen times; at most as much is kept for one that is still used. */
  static final long SLAB_BYTES = 1 << 20;

  private MemorySegment slab = MemorySegment.NULL;
  private long usedBytes;

  /**
   * Memory for so many bytes, aligned to records. Larger blocks have an allocation of their own.
   */
  MemorySegment allocate(long sizeBytes) {
    if (sizeBytes > SLAB_BYTES) {
      return newMemory(sizeBytes);
    }
    if (sizeBytes > slab.byteSize() - usedBytes) {
      slab = newMemory(SLAB_BYTES);
      usedBytes = 0;
    }
    MemorySegment memory = slab.asSlice(usedBytes, sizeBytes);
    usedBytes += sizeBytes;
    return memory;
  }

  private static MemorySegment newMemory(long sizeBytes) {
    return Arena.ofAuto().allocate(sizeBytes, PacketBlock.RECORD_BYTES);
  }
}
