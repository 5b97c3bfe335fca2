// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import dev.flowstone.blocks.PacketBlock;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SideOutputDataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/** Packets by what their rules do with them. */
public final class RuledBlocks {
  private final SingleOutputStreamOperator<RuledBlock> ruled;

  private RuledBlocks(SingleOutputStreamOperator<RuledBlock> ruled) {
    this.ruled = ruled;
  }

  /**
   * Gives each packet its rule, where the packets are.
   *
   * @param name of the operator; its uid is the caller's to set
   */
  public static RuledBlocks of(DataStream<PacketBlock> blocks, LiveRules rules, String name) {
    return new RuledBlocks(
        blocks
            .transform(name, RuledBlock.TYPE, new RulesOperatorFactory(rules))
            .setParallelism(blocks.getParallelism()));
  }

  public RuledBlocks uid(String uid) {
    return new RuledBlocks(ruled.uid(uid));
  }

  /** Packets whose rules name functions of this kind. */
  public DataStream<RuledBlock> of(FunctionKind kind) {
    SideOutputDataStream<RuledBlock> packets = ruled.getSideOutput(kind.tag());
    return packets;
  }
}
