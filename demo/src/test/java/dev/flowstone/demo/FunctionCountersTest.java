// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.flink.metrics.SimpleCounter;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.metrics.scope.ScopeFormat;
import org.junit.jupiter.api.Test;

/** What is read of the job's own counters. */
class FunctionCountersTest {
  private final FlinkCounters reporter = new FlinkCounters();

  /** An operator's group, or one below it. */
  private static final class Group extends UnregisteredMetricsGroup {
    private final Map<String, String> variables = new HashMap<>();

    Group(String operator) {
      variables.put(ScopeFormat.SCOPE_JOB_NAME, DemoFlink.JOB_NAME);
      variables.put(ScopeFormat.SCOPE_OPERATOR_NAME, operator);
    }

    Group below(String key, String value) {
      variables.put(ScopeFormat.asVariable(key), value);
      return this;
    }

    @Override
    public Map<String, String> getAllVariables() {
      return variables;
    }

    @Override
    public String getMetricIdentifier(String name) {
      return variables + "." + name;
    }
  }

  private void count(Group group, String name, long count) {
    SimpleCounter counter = new SimpleCounter();
    counter.inc(count);
    reporter.notifyOfAddedMetric(counter, name, group);
  }

  private void count(String operator, String name, long count) {
    count(new Group(operator), name, count);
  }

  private void sent(String function, long count) {
    count(new Group("Rules").below("function", function), "packetsToFunction", count);
  }

  /** Else the balance names a place where nothing is missing. */
  @Test
  void shouldKnowEveryReasonForWhichAFunctionLeavesPacketsOut() {
    sent("pass", 100);
    count("Packets", "packetsIn", 100);
    count("Packets", "packetsKept", 60);
    count("Packets", "packetsSampled", 30);
    count("Packets", "packetsLeftOut", 10);
    sent("aggregate", 20);
    count("Flow records", "packets", 20);
    count("Flow records", "packetsOut", 17);
    count("Flow records", "packetsWithoutRoom", 3);
    sent("histogram", 30);
    count("Histograms", "packets", 30);
    count("Histograms", "packetsWithoutRoom", 4);
    count("Histograms", "packetsWithoutRoomOfRule", 5);
    sent("anomaly", 40);
    count("Detectors", "packets", 40);
    count("Detectors", "packetsLate", 6);
    count("Detectors", "packetsUntimed", 7);
    sent("user", 50);
    count("Own code", "packets", 50);
    count("Own code", "packetsFailed", 8);
    assertThat(FunctionCounters.read().functions())
        .extracting(
            FunctionCounters.Function::key,
            FunctionCounters.Function::sent,
            FunctionCounters.Function::in,
            FunctionCounters.Function::out,
            FunctionCounters.Function::leftOut)
        .containsExactly(
            tuple("pass", 100L, 100L, OptionalLong.of(90), 10L),
            tuple("aggregate", 20L, 20L, OptionalLong.of(17), 3L),
            tuple("histogram", 30L, 30L, OptionalLong.empty(), 9L),
            tuple("anomaly", 40L, 40L, OptionalLong.empty(), 13L),
            tuple("user", 50L, 50L, OptionalLong.empty(), 8L));
  }
}
