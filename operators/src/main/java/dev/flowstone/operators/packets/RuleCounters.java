// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.packets;

import dev.flowstone.stages.RuleLabels;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/** What came of a rule's packets: in = kept + sampled + left out, each counted where it happens. */
final class RuleCounters {
  private static final String GROUP = "rule";

  final Counter in;

  /** Went on with weight 1. */
  final Counter kept;

  /** Went on and stand for others, too. */
  final Counter sampled;

  final Counter leftOut;

  private RuleCounters(MetricGroup group) {
    in = group.counter("packetsIn");
    kept = group.counter("packetsKept");
    sampled = group.counter("packetsSampled");
    leftOut = group.counter("packetsLeftOut");
  }

  /** One set for each label: rules come and go, and a second counter of a name is dead. */
  static final class Registry {
    private final MetricGroup group;
    private final RuleLabels labels = new RuleLabels();
    private final Map<String, RuleCounters> known = new HashMap<>();

    Registry(MetricGroup group) {
      this.group = group;
    }

    RuleCounters of(String rule) {
      return known.computeIfAbsent(
          labels.of(rule), label -> new RuleCounters(group.addGroup(GROUP, label)));
    }
  }
}
