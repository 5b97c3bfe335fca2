// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.receive;

import dev.flowstone.offheap.AnonymousMemory;
import java.lang.foreign.MemorySegment;

/**
 * Memory for datagrams that wait, in so many places that are as long as the longest needs. Costs
 * nothing before the first has to wait. Closed by whoever made it; one thread.
 */
final class WaitingPlaces implements AutoCloseable {
  /** A jumbo frame's datagram, and then some. */
  private static final int LEAST_BYTES = 1 << 14;

  private final int count;
  private int placeBytes;
  private AnonymousMemory memory;

  WaitingPlaces(int count) {
    this.count = count;
  }

  /** Keeps a copy of the first bytes of a datagram's memory. */
  void keep(int place, MemorySegment datagram, int lengthBytes) {
    if (lengthBytes > placeBytes) {
      makeLonger(Math.max(LEAST_BYTES, Integer.highestOneBit(lengthBytes - 1) << 1));
    }
    MemorySegment.copy(datagram, 0, memory.segment(), at(place), lengthBytes);
  }

  private void makeLonger(int longerBytes) {
    AnonymousMemory longer = new AnonymousMemory((long) count * longerBytes);
    for (int place = 0; memory != null && place < count; place++) {
      MemorySegment.copy(
          memory.segment(), at(place), longer.segment(), (long) place * longerBytes, placeBytes);
    }
    close();
    memory = longer;
    placeBytes = longerBytes;
  }

  MemorySegment memory() {
    return memory.segment();
  }

  long at(int place) {
    return (long) place * placeBytes;
  }

  @Override
  public void close() {
    if (memory != null) {
      memory.close();
    }
  }
}
