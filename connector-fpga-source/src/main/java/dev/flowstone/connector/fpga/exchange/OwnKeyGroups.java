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
  private final TaskInfo task;
  private final int keyGroups;
  private final KeyGroupRange mine;

  public OwnKeyGroups(TaskInfo task) {
    this.task = task;
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
          String.format(
              "a packet of key group %d of %d came to %s, which has key groups %d to %d: operators on both"
                  + " sides of a flow exchange need the same parallelism (setParallelism;"
                  + " --parallelism for a whole job) and the same maximum (setMaxParallelism;"
                  + " pipeline.max-parallelism)",
              keyGroup,
              keyGroups,
              task.getTaskNameWithSubtasks(),
              mine.getStartKeyGroup(),
              mine.getEndKeyGroup()));
    }
  }
}
