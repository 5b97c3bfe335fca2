// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import dev.flowstone.results.Result;
import org.apache.flink.streaming.api.operators.AbstractStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.OneInputStreamOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperator;
import org.apache.flink.streaming.api.operators.StreamOperatorParameters;

/** Makes the operator of each subtask. */
final class QuestDbOperatorFactory<R extends Result> extends AbstractStreamOperatorFactory<Void>
    implements OneInputStreamOperatorFactory<R, Void> {
  private static final long serialVersionUID = 1L;

  private final QuestDbDelivery delivery;
  private final boolean awaitsCheckpoints;

  QuestDbOperatorFactory(QuestDbDelivery delivery, boolean awaitsCheckpoints) {
    this.delivery = delivery;
    this.awaitsCheckpoints = awaitsCheckpoints;
  }

  @Override
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // as Flink has it
  public <T extends StreamOperator<Void>> T createStreamOperator(
      StreamOperatorParameters<Void> parameters) {
    return (T) new QuestDbOperator<R>(parameters, delivery, awaitsCheckpoints);
  }

  @Override
  @SuppressWarnings("rawtypes")
  public Class<? extends StreamOperator> getStreamOperatorClass(ClassLoader classLoader) {
    return QuestDbOperator.class;
  }
}
