// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.offheap.flows.FlowTable;
import dev.flowstone.operators.ruled.RuledBlock;
import java.io.Serializable;
import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/**
 * What is done with the packets of each flow: the part of a {@link KeyedBlockOperator} that
 * differs. It keeps some bytes of each flow in a {@link FlowTable}, which checkpoints hold and
 * restores spread over any number of subtasks; what it keeps elsewhere is gone after a failure, and
 * has to leave before each checkpoint, see {@link #beforeCheckpoint}.
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
   * Called once after {@link #open}.
   *
   * @param restored what {@link #rules} of all subtasks returned at the checkpoint; empty in a job
   *     that was not restored
   */
  default void restoreRules(List<FlowRule> restored) {}

  /** The rules that a checkpoint stores beside the flows. */
  default List<FlowRule> rules() {
    return List.of();
  }

  /**
   * Works on the packets of a block. Called for all of them at once: the loop is the function's
   * own.
   *
   * @param entries where each packet's entry lies in {@link FlowTable#memory}, or {@link
   *     FlowTable#NO_ROOM}: one entry for all of a flow's packets in the block that have one, the
   *     flow's first, see {@link FlowTable#nextOf}. So whoever removes entries here leaves that one
   *     alone. A new flow's state is zeros, and its first packet in the block is not told from the
   *     next. The array is used again.
   */
  void update(RuledBlock block, long[] entries);

  /** No packet from before this time is to come, but for late ones; UTC nanoseconds. */
  void advance(long earliestNs);

  /**
   * Called before the barrier of a checkpoint goes on, and once when the input has ended. What is
   * emitted here is before the barrier: whoever comes next has it in this checkpoint. So a function
   * may keep partial sums outside of the table, which a keyBy behind it adds up, emit them here and
   * begin anew: after a failure all begins where the checkpoint is, and no packet is in two sums or
   * in none. What a window needs before its end has to leave in {@link #advance}; now it would be
   * late.
   */
  default void beforeCheckpoint() {}

  /**
   * Called last, also after a failure, and where {@link #open} never was; gives back what it has.
   */
  default void close() {}
}
