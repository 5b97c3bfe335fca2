// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import dev.flowstone.blocks.PacketBlock;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.operators.coordination.OperatorCoordinator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.CoordinatedOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;

/** Makes the operator of each subtask and the one coordinator. */
final class RulesOperatorFactory extends AbstractStreamOperatorFactory<RuledBlock>
    implements OneInputStreamOperatorFactory<PacketBlock, RuledBlock>,
        CoordinatedOperatorFactory<RuledBlock> {
  private static final long serialVersionUID = 1L;

  private final LiveRules rules;

  RulesOperatorFactory(LiveRules rules) {
    this.rules = rules;
  }

  @Override
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // as Flink has it
  public <T extends StreamOperator<RuledBlock>> T createStreamOperator(
      StreamOperatorParameters<RuledBlock> parameters) {
    RulesOperator operator = new RulesOperator(parameters, rules);
    parameters
        .getOperatorEventDispatcher()
        .registerEventHandler(parameters.getStreamConfig().getOperatorID(), operator);
    return (T) operator;
  }

  @Override
  @SuppressWarnings("rawtypes")
  public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader classLoader) {
    return RulesOperator.class;
  }

  @Override
  public OperatorCoordinator.Provider getCoordinatorProvider(String name, OperatorID id) {
    return new Provider(id, rules);
  }

  private record Provider(OperatorID id, LiveRules rules) implements OperatorCoordinator.Provider {
    @Override
    public OperatorID getOperatorId() {
      return id;
    }

    @Override
    public OperatorCoordinator create(OperatorCoordinator.Context context) {
      return new RulesCoordinator(rules, context);
    }
  }
}
