// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import dev.flowstone.model.FlowTuple;
import java.io.Serializable;
import java.lang.foreign.MemorySegment;

/**
 * What {@link FlowWindows} adds up for each flow: a sum of type {@code A}, which Flink must be able
 * to serialize (a class with public fields does), and a result of type {@code R} made of it.
 */
public interface FlowAggregate<A, R> extends Serializable {
  /** A new sum, for a flow in a window. */
  A create();

  /**
   * Adds a packet where it lies; {@link dev.flowstone.model.PacketRecord} reads its fields. Called
   * for every packet: make no object here.
   */
  void add(A sum, MemorySegment segment, long offsetBytes);

  /**
   * What leaves the window for a flow.
   *
   * @param startNs begin of the window, UTC nanoseconds
   */
  R result(FlowTuple flow, long startNs, A sum);
}
