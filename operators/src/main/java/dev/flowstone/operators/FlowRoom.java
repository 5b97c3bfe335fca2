// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.offheap.flows.FlowTableSize;
import java.io.Serializable;

/**
 * For how many flows one subtask has room. Those that are silent leave memory for state where it is
 * short, and come back when they have a packet. Packets of flows beyond both are counted ({@code
 * packetsWithoutRoom}) and in no result.
 *
 * @param inMemory each takes the function's bytes and 40 more off the heap, up to a quarter more
 *     where pages are not full, and 16 to 32 on it, 64 where most have left: more of them need more
 *     {@code taskmanager.memory.task.off-heap.size}
 * @param inState each takes as much on the heap, and its bytes in Flink's state: on disk, with
 *     RocksDB
 */
public record FlowRoom(int inMemory, int inState) implements Serializable {
  /** What anybody can ask for. */
  public static final int MOST_FLOWS = 1 << 28;

  /** Fits the memory that flink-conf gives, see docs/deployment.md. */
  public static final FlowRoom USUAL = new FlowRoom(1 << 18, 1 << 20);

  /** None leaves memory. */
  public static FlowRoom inMemoryAlone(int flows) {
    return new FlowRoom(flows, 0);
  }

  FlowTableSize of(FlowStateFormat format) {
    return new FlowTableSize(format.stateBytes(), inMemory, inState);
  }
}
