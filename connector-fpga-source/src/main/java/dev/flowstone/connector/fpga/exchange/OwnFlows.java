// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga.exchange;

import dev.flowstone.blocks.PacketBlock;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.java.tuple.Tuple2;

/** The receiving side of {@link FlowSplitter}: makes sure that what came is this subtask's. */
public final class OwnFlows extends RichMapFunction<Tuple2<Integer, PacketBlock>, PacketBlock> {
  private static final long serialVersionUID = 1L;

  private transient OwnKeyGroups own;

  @Override
  public void open(OpenContext context) {
    own = new OwnKeyGroups(getRuntimeContext().getTaskInfo());
  }

  @Override
  public PacketBlock map(Tuple2<Integer, PacketBlock> part) {
    own.require(part.f1);
    return part.f1;
  }
}
