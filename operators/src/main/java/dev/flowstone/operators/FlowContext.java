// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.offheap.flows.FlowEntry;
import dev.flowstone.offheap.flows.FlowTable;
import org.apache.flink.metrics.MetricGroup;

/** What a {@link FlowFunction} works with. */
public interface FlowContext<R> {
  /** Of the key groups of this subtask. */
  FlowTable table();

  /** From where an entry lies to the function's own bytes of it. */
  default int stateOffset() {
    return FlowEntry.KEY_BYTES;
  }

  MetricGroup metrics();

  /**
   * Called in {@link FlowFunction#update} for a packet without an entry that is in a result all the
   * same. The operator counts all others in {@code packetsWithoutRoom}.
   */
  void countWithoutEntry();

  /**
   * Sends a result on.
   *
   * @param timeNs its event time, UTC nanoseconds; downstream windows take it as on time while it
   *     is not before what {@link FlowFunction#advance} was told last
   */
  void emit(R result, long timeNs);
}
