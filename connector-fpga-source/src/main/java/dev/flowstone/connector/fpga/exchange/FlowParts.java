// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.exchange;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.PacketRecord;
import java.util.Arrays;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;

/** Which packets of a block belong to which subtask. One block at a time; no object per packet. */
public final class FlowParts {
  private final int keyGroups;

  /** Subtask of each key group. */
  private final int[] subtasks;

  private final int[][] indexes;
  private final int[] counts;

  /** Parts for the subtasks of an operator that has as many as this task. */
  public FlowParts(TaskInfo task) {
    keyGroups = task.getMaxNumberOfParallelSubtasks();
    int parallelism = task.getNumberOfParallelSubtasks();
    subtasks = new int[keyGroups];
    Arrays.setAll(
        subtasks,
        group ->
            KeyGroupRangeAssignment.computeOperatorIndexForKeyGroup(keyGroups, parallelism, group));
    indexes = new int[parallelism][0];
    counts = new int[parallelism];
  }

  /** How many subtasks there are. */
  public int size() {
    return counts.length;
  }

  /** Where the parts of a block go. */
  @FunctionalInterface
  public interface Taker {
    void take(int subtask, PacketBlock part);
  }

  /**
   * Gives each subtask that has flows in a block its part, and the block's loss with the first; a
   * block without packets goes to one of them.
   */
  public void split(PacketBlock block, Taker taker) {
    sort(block);
    if (block.isEmpty()) {
      taker.take(block.ring() % counts.length, block);
      return;
    }
    PacketLoss loss = block.lossBefore();
    for (int subtask = 0; subtask < counts.length; subtask++) {
      if (counts[subtask] > 0) {
        taker.take(subtask, part(block, subtask).withLossBefore(loss));
        loss = PacketLoss.NONE;
      }
    }
  }

  private void sort(PacketBlock block) {
    Arrays.fill(counts, 0);
    for (int i = 0; i < block.count(); i++) {
      int flowHash = PacketRecord.flowHash(block.segment(), block.offsetOf(i));
      int subtask = subtasks[KeyGroups.keyGroup(flowHash, keyGroups)];
      if (indexes[subtask].length < block.count()) {
        indexes[subtask] = Arrays.copyOf(indexes[subtask], block.count());
      }
      indexes[subtask][counts[subtask]++] = i;
    }
  }

  /** How many packets of the block that is split are a subtask's. */
  public int count(int subtask) {
    return counts[subtask];
  }

  /** Where in the block a subtask's packets are, as many as {@link #count}; used again. */
  public int[] indexes(int subtask) {
    return indexes[subtask];
  }

  private PacketBlock part(PacketBlock block, int subtask) {
    return counts[subtask] == block.count()
        ? block
        : block.select(indexes[subtask], counts[subtask]);
  }
}
