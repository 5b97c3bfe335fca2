// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect.count;

import dev.flowstone.blocks.PacketBlock;

/** Finds something out about the packets of one subtask's rings, block by block. One thread. */
public interface BlockCounter<T> {
  /**
   * Looks at a block; keeps nothing of its memory.
   *
   * @throws InspectException if more would have to be kept than the limits allow
   */
  void add(PacketBlock block);

  /**
   * What was found in all blocks up to now; Flink carries it to the client: it can be serialized.
   */
  T found();
}
