// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.packets;

import dev.flowstone.blocks.WeightedBlock;
import dev.flowstone.operators.ruled.FunctionKind;
import dev.flowstone.operators.ruled.RuledBlock;
import dev.flowstone.operators.ruled.RuledBlocks;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/** The packets that go on as packets: of rules that pass them all, and of rules that sample. */
public final class ChosenPackets {
  private ChosenPackets() {}

  /**
   * Chooses where the packets are, so that each ring's go through one subtask in their order.
   *
   * @param name of the operator; its uid is the caller's to set, and to keep: it has state
   */
  public static SingleOutputStreamOperator<WeightedBlock> of(
      RuledBlocks ruled, AnonymisationKeys keys, String name) {
    DataStream<RuledBlock> packets = ruled.of(FunctionKind.PASS);
    return packets
        .transform(name, WeightedBlock.TYPE, new ChoiceOperator(keys))
        .setParallelism(packets.getParallelism());
  }
}
