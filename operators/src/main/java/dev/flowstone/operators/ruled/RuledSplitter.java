// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.exchange.FlowParts;
import dev.flowstone.model.PacketLoss;
import org.apache.flink.api.common.TaskInfo;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichFlatMapFunction;
import org.apache.flink.util.Collector;

/**
 * Splits a block into one part for each subtask that has flows in it, with the rules that its
 * packets have been given. A packet is not asked twice: its rules may change on the way. The text
 * of rules goes to each subtask once, before the first packet that has one of them.
 */
final class RuledSplitter extends RichFlatMapFunction<RuledBlock, RuledPart> {
  private static final long serialVersionUID = 1L;

  private transient FlowParts parts;
  private transient int self;
  private transient RulesInForce told;

  @Override
  public void open(OpenContext context) {
    TaskInfo task = getRuntimeContext().getTaskInfo();
    parts = new FlowParts(task);
    self = task.getIndexOfThisSubtask();
  }

  @Override
  public void flatMap(RuledBlock block, Collector<RuledPart> out) {
    if (block.rules() != told) {
      told = block.rules();
      tell(block, out);
    }
    PacketBlock packets = block.packets();
    if (!packets.isEmpty() || !packets.lossBefore().isNone()) {
      parts.split(
          packets,
          (subtask, part) ->
              out.collect(new RuledPart(subtask, self, part, rulesOf(block, subtask), null)));
    }
  }

  private void tell(RuledBlock block, Collector<RuledPart> out) {
    PacketBlock nothing = PacketBlock.empty(block.packets().origin(), PacketLoss.NONE);
    for (int subtask = 0; subtask < parts.size(); subtask++) {
      out.collect(new RuledPart(subtask, self, nothing, onlyRule(block), told.text()));
    }
  }

  private static short[] onlyRule(RuledBlock block) {
    return new short[] {(short) block.ruleOf(0)};
  }

  private short[] rulesOf(RuledBlock block, int subtask) {
    if (block.isOfOneRule()) {
      return onlyRule(block);
    }
    short[] rules = new short[parts.count(subtask)];
    int[] indexes = parts.indexes(subtask);
    for (int i = 0; i < rules.length; i++) {
      rules[i] = (short) block.ruleOf(indexes[i]);
    }
    return rules;
  }
}
