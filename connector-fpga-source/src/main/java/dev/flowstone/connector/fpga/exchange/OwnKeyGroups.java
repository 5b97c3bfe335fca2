// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.exchange;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.PacketRecord;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;

/** The key groups of a subtask, to make sure that what came through an exchange is its own. */
public final class OwnKeyGroups {
  private final int keyGroups;
  private final KeyGroupRange mine;

  public OwnKeyGroups(TaskInfo task) {
    keyGroups = task.getMaxNumberOfParallelSubtasks();
    mine =
        KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
            keyGroups, task.getNumberOfParallelSubtasks(), task.getIndexOfThisSubtask());
  }

  /** Throws if a block's packets are another subtask's; all of them are one's. */
  public void require(PacketBlock block) {
    if (block.isEmpty()) {
      return;
    }
    int flowHash = PacketRecord.flowHash(block.segment(), block.offsetOf(0));
    int keyGroup = KeyGroups.keyGroup(flowHash, keyGroups);
    if (!mine.contains(keyGroup)) {
      throw new IllegalStateException(
          "a packet of key group "
              + keyGroup
              + " came to the subtask that has "
              + mine
              + ": both sides of the flow exchange must have the same parallelism");
    }
  }
}
