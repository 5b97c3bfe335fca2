// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import dev.flowstone.blocks.PacketBlock;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.FunctionInitializationContext;
import org.apache.flink.runtime.state.FunctionSnapshotContext;
import org.apache.flink.streaming.api.checkpoint.CheckpointedFunction;

/** Counts, in state, packets and the losses told with them. */
final class BlockTotals extends RichMapFunction<PacketBlock, PacketBlock>
    implements CheckpointedFunction {
  private static final long serialVersionUID = 1L;

  static final Map<Integer, Totals> LATEST = new ConcurrentHashMap<>();

  record Totals(long packets, long lost, long blocks, int largestBlock) {}

  private transient ListState<Long> state;
  private long packets;
  private long lost;
  private long blocks;
  private int largestBlock;

  static long packetsInAll() {
    return LATEST.values().stream().mapToLong(Totals::packets).sum();
  }

  static long lostInAll() {
    return LATEST.values().stream().mapToLong(Totals::lost).sum();
  }

  @Override
  public PacketBlock map(PacketBlock block) {
    packets += block.count();
    lost += block.lossBefore().inRing();
    blocks++;
    largestBlock = Math.max(largestBlock, block.count());
    publish();
    return block;
  }

  private void publish() {
    int subtask = getRuntimeContext().getTaskInfo().getIndexOfThisSubtask();
    LATEST.put(subtask, new Totals(packets, lost, blocks, largestBlock));
  }

  @Override
  public void snapshotState(FunctionSnapshotContext context) throws Exception {
    state.update(List.of(packets, lost));
  }

  @Override
  public void initializeState(FunctionInitializationContext context) throws Exception {
    state =
        context
            .getOperatorStateStore()
            .getListState(new ListStateDescriptor<>("totals", Types.LONG));
    int index = 0;
    for (long value : state.get()) {
      if (index++ % 2 == 0) {
        packets += value;
      } else {
        lost += value;
      }
    }
    publish();
  }
}
