// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.user;

import dev.flowstone.blocks.PacketBlock;
import java.util.List;

/**
 * What a user does with the packets of a rule. One instance for each rule that names the class and
 * each subtask; made with the constructor without parameters; one thread.
 *
 * <p>A subtask sees the packets of its rings, those of a ring in their order. With another
 * parallelism rings go to other subtasks, and parts of state with them.
 */
public interface PacketFunction {
  /** Called once, before anything else. */
  void open(PacketFunctionContext context) throws Exception;

  /** The rule's packets of one block; the block is borrowed, see {@link PacketBlock}. */
  void process(PacketBlock packets) throws Exception;

  /** No packet from before this time is to come, but for late ones; UTC nanoseconds. */
  default void advance(long earliestNs) throws Exception {}

  /** What a checkpoint must hold for this to go on after a failure; empty: nothing. */
  default byte[] snapshot() throws Exception {
    return new byte[0];
  }

  /**
   * After {@link #open}, if there is anything: what instances for this rule gave their last
   * checkpoint. Each part goes to one subtask; a subtask may get several or none.
   */
  default void restore(List<byte[]> parts) throws Exception {}

  default void close() throws Exception {}
}
