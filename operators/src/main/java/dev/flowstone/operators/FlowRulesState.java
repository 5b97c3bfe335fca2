// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.results.RuleTag;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple6;

/**
 * The rules of flows in checkpoints. Every subtask writes its own and restores those of all
 * subtasks, because a flow may move to another subtask.
 */
final class FlowRulesState {
  private final ListState<Tuple6<Long, String, String, Long, Long, Long>> saved;

  FlowRulesState(OperatorStateStore store) throws Exception {
    saved =
        store.getUnionListState(
            new ListStateDescriptor<>(
                "flow-rules",
                Types.TUPLE(
                    Types.LONG, Types.STRING, Types.STRING, Types.LONG, Types.LONG, Types.LONG)));
  }

  List<FlowRule> read() throws Exception {
    Set<FlowRule> rules = new LinkedHashSet<>();
    for (Tuple6<Long, String, String, Long, Long, Long> each : saved.get()) {
      rules.add(
          new FlowRule(
              each.f0, new RuleTag(each.f1, each.f2, each.f3), new FlowTimeouts(each.f4, each.f5)));
    }
    return List.copyOf(rules);
  }

  void write(List<FlowRule> rules) throws Exception {
    List<Tuple6<Long, String, String, Long, Long, Long>> all = new ArrayList<>();
    for (FlowRule rule : rules) {
      all.add(
          Tuple6.of(
              rule.id(),
              rule.tag().name(),
              rule.tag().topic(),
              rule.tag().flowId(),
              rule.timeouts().activeNs(),
              rule.timeouts().idleNs()));
    }
    saved.update(all);
  }
}
