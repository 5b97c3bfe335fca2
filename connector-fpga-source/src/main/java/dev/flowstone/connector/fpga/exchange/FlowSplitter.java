// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.exchange;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.PacketLoss;
import dev.flowstone.model.PacketRecord;
import java.util.Arrays;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.util.Collector;

/**
 * Splits a block into one selection for each subtask that has flows in it; the block's loss goes
 * with the first. No object per packet.
 */
public final class FlowSplitter
    extends RichFlatMapFunction<PacketBlock, Tuple2<Integer, PacketBlock>> {
  private static final long serialVersionUID = 1L;

  private transient int keyGroups;

  /** Subtask of each key group. */
  private transient int[] subtasks;

  private transient int[][] indexes;
  private transient int[] counts;

  @Override
  public void open(OpenContext context) {
    TaskInfo task = getRuntimeContext().getTaskInfo();
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

  @Override
  public void flatMap(PacketBlock block, Collector<Tuple2<Integer, PacketBlock>> out) {
    if (block.isEmpty()) {
      out.collect(Tuple2.of(block.ring() % counts.length, block));
      return;
    }
    sort(block);
    PacketLoss loss = block.lossBefore();
    for (int subtask = 0; subtask < counts.length; subtask++) {
      if (counts[subtask] > 0) {
        out.collect(Tuple2.of(subtask, part(block, subtask).withLossBefore(loss)));
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

  private PacketBlock part(PacketBlock block, int subtask) {
    return counts[subtask] == block.count()
        ? block
        : block.select(indexes[subtask], counts[subtask]);
  }
}
