// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.user;

import dev.flowstone.results.Result;
import dev.flowstone.results.RuleTag;
import java.util.Map;
import org.apache.flink.metrics.MetricGroup;

/** What a {@link PacketFunction} works with. */
public interface PacketFunctionContext {
  /** As the rule has them. */
  Map<String, String> options();

  /** What a result says of its rule. */
  RuleTag rule();

  /**
   * Which of those that run the rule's function, from 0. Results of two that tell of the same time
   * need it as a key, or one takes the other's place where results are rows of a table.
   */
  int subtask();

  /** Of this rule's function. */
  MetricGroup metrics();

  /** Sends a result on; it must not change any more. */
  void emit(Result result);
}
