// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.packets;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.WeightedBlock;
import dev.flowstone.operators.ruled.RuledBlock;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.operators.ruled.RulesText;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;

/** One subtask of the operator. */
@SuppressWarnings("try") // Its close throws whatever the operator's does.
final class ChoiceHarness extends OneInputStreamOperatorTestHarness<RuledBlock, WeightedBlock> {
  static final int KEY_GROUPS = 128;

  private ChoiceHarness(AnonymisationKeys keys, int parallelism, int subtask) throws Exception {
    super(new ChoiceOperator(keys), KEY_GROUPS, parallelism, subtask);
    getExecutionConfig().enableObjectReuse();
    setup(WeightedBlock.TYPE.createSerializer(getExecutionConfig().getSerializerConfig()));
  }

  static ChoiceHarness alone() throws Exception {
    return with(AnonymisationKeys.NONE);
  }

  static ChoiceHarness with(AnonymisationKeys keys) throws Exception {
    ChoiceHarness harness = new ChoiceHarness(keys, 1, 0);
    harness.open();
    return harness;
  }

  /** A subtask of several, after all of a former run left their states. */
  static ChoiceHarness restored(List<OperatorSubtaskState> former, int parallelism, int subtask)
      throws Exception {
    OperatorSubtaskState all = repackageState(former.toArray(OperatorSubtaskState[]::new));
    ChoiceHarness harness = new ChoiceHarness(AnonymisationKeys.NONE, parallelism, subtask);
    harness.initializeState(
        repartitionOperatorState(all, KEY_GROUPS, former.size(), parallelism, subtask));
    harness.open();
    return harness;
  }

  static RulesInForce rules(String text) {
    return new RulesText(1, "test", text).read();
  }

  void give(PacketBlock block, RulesInForce rules) throws Exception {
    processElement(new StreamRecord<>(SentRing.ruled(block, rules)));
  }

  /** What came out since the last time. */
  List<WeightedBlock> takeSent() {
    List<WeightedBlock> sent =
        extractOutputValues().stream().map(WeightedBlock.class::cast).toList();
    getOutput().clear();
    return sent;
  }

  RuleCounters countersOf(String rule) {
    return ((ChoiceOperator) getOperator()).countersOf(rule);
  }
}
