// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.offheap.flows.FlowTable;
import dev.flowstone.operators.ruled.RuledBlock;
import java.io.Serializable;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/**
 * What is done with the packets of each flow: the part of a {@link KeyedBlockOperator} that
 * differs. It keeps some bytes of each flow in a {@link FlowTable}, which checkpoints hold and
 * restores spread over any number of subtasks; what it keeps elsewhere is gone after a failure.
 *
 * <p>Results must depend on the packets' times alone: not on where blocks end, nor on when {@link
 * #advance} is called.
 */
public interface FlowFunction<R> extends Serializable {
  FlowStateFormat format();

  TypeInformation<R> resultType();

  /** Called once, before anything else, in the subtask; the table may hold restored flows. */
  void open(FlowContext<R> context);

  /**
   * Works on the packets of a block. Called for all of them at once: the loop is the function's
   * own.
   *
   * @param entries where each packet's entry lies in {@link FlowTable#memory}, or {@link
   *     FlowTable#NO_ROOM}; a new flow's state is zeros, and the first packet of it in the block is
   *     not told from the next. The array is used again.
   */
  void update(RuledBlock block, long[] entries);

  /** No packet from before this time is to come, but for late ones; UTC nanoseconds. */
  void advance(long earliestNs);
}
