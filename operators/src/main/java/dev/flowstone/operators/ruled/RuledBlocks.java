// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.RingBlocks;
import java.util.Locale;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SideOutputDataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/** Packets by what their rules do with them: where they are read, or where their flows are. */
public final class RuledBlocks {
  private final SingleOutputStreamOperator<RuledBlock> ruled;
  private final boolean areByFlow;

  private RuledBlocks(SingleOutputStreamOperator<RuledBlock> ruled, boolean areByFlow) {
    this.ruled = ruled;
    this.areByFlow = areByFlow;
  }

  /**
   * Gives each packet its rule, once, where it is read.
   *
   * @param name of the operator; its uid is the caller's to set
   */
  public static RuledBlocks of(RingBlocks blocks, LiveRules rules, String name) {
    DataStream<PacketBlock> packets = blocks.packets();
    return new RuledBlocks(
        packets
            .transform(name, RuledBlock.TYPE, new RulesOperatorFactory(rules))
            .setParallelism(packets.getParallelism()),
        blocks.areByFlow());
  }

  public RuledBlocks uid(String uid) {
    return new RuledBlocks(ruled.uid(uid), areByFlow);
  }

  /** Packets whose rules name functions of this kind, where they are read. */
  public DataStream<RuledBlock> of(FunctionKind kind) {
    SideOutputDataStream<RuledBlock> packets = ruled.getSideOutput(kind.tag());
    return packets;
  }

  /** The same where a subtask has all packets of a flow; others than these are not sent there. */
  public DataStream<RuledBlock> byFlow(FunctionKind kind) {
    return areByFlow ? of(kind) : exchange(of(kind), kind.name().toLowerCase(Locale.ROOT));
  }

  private static DataStream<RuledBlock> exchange(DataStream<RuledBlock> packets, String function) {
    return packets
        .flatMap(new RuledSplitter())
        .returns(RuledPart.TYPE)
        .setParallelism(packets.getParallelism())
        .name("Packets to " + function + ": split by key group")
        .uid(function + "-split")
        .partitionCustom((subtask, _) -> subtask, RuledPart::subtask)
        .map(new OwnRuledFlows())
        .returns(RuledBlock.TYPE)
        .setParallelism(packets.getParallelism())
        .name("Packets to " + function + ": by flow")
        .uid(function + "-by-flow");
  }
}
