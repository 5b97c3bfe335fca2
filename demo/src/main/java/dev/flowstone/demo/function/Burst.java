// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.demo.function;

import dev.flowstone.model.FlowTuple;
import dev.flowstone.operators.FlowKey;
import dev.flowstone.results.Result;
import dev.flowstone.results.ResultFields;
import dev.flowstone.results.RuleTag;

/** What is told of a burst. */
record Burst(RuleTag rule, FlowTuple flow, Run run) implements Result {
  @Override
  public String kind() {
    return "burst";
  }

  @Override
  public long timeNs() {
    return run.firstNs();
  }

  @Override
  public void describe(ResultFields fields) {
    FlowKey.describe(flow, fields);
    fields.number("last_ns", run.lastNs());
    fields.number("packets", run.packets());
    fields.number("bytes", run.bytes());
  }
}
