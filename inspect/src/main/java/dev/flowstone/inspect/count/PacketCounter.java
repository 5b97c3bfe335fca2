// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.count;

import dev.flowstone.raw.RawPacketBatch;
import java.lang.foreign.MemorySegment;

/** Finds something out about the packets of a capture, batch by batch. One thread. */
public interface PacketCounter {
  /**
   * Looks at a batch; keeps nothing of its memory.
   *
   * @param packets the packets as they are in the file, with their times
   * @param records a record for each of them, one after the other
   * @throws InspectException if more would have to be kept than the limits allow
   */
  void add(RawPacketBatch packets, MemorySegment records);
}
