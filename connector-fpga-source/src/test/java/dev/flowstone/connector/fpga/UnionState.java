// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import dev.flowstone.blocks.PacketBlock;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;

/** Has state that Flink takes no checkpoint of while one subtask has ended and another has not. */
final class UnionState implements MapFunction<PacketBlock, PacketBlock>, CheckpointedFunction {
  private static final long serialVersionUID = 1L;

  @Override
  public PacketBlock map(PacketBlock block) {
    return block;
  }

  @Override
  public void snapshotState(FunctionSnapshotContext context) {}

  @Override
  public void initializeState(FunctionInitializationContext context) throws Exception {
    context
        .getOperatorStateStore()
        .getUnionListState(new ListStateDescriptor<>("union", Types.LONG))
        .add(1L);
  }
}
