// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.exchange;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.model.KeyGroups;
import dev.flowstone.model.PacketRecord;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;

/** The receiving side of {@link FlowSplitter}: makes sure that what came is this subtask's. */
public final class OwnFlows extends RichMapFunction<Tuple2<Integer, PacketBlock>, PacketBlock> {
  private static final long serialVersionUID = 1L;

  private transient int keyGroups;
  private transient KeyGroupRange mine;

  @Override
  public void open(OpenContext context) {
    TaskInfo task = getRuntimeContext().getTaskInfo();
    keyGroups = task.getMaxNumberOfParallelSubtasks();
    mine =
        KeyGroupRangeAssignment.computeKeyGroupRangeForOperatorIndex(
            keyGroups, task.getNumberOfParallelSubtasks(), task.getIndexOfThisSubtask());
  }

  @Override
  public PacketBlock map(Tuple2<Integer, PacketBlock> part) {
    PacketBlock block = part.f1;
    if (!block.isEmpty()) {
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
    return block;
  }
}
