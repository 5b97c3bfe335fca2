// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators;

import dev.flowstone.operators.ruled.RuledBlock;
import dev.flowstone.operators.ruled.RulesInForce;
import dev.flowstone.results.RuleTag;
import dev.flowstone.rules.function.Aggregate;
import dev.flowstone.rules.function.ServiceFunction;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/**
 * The rules that flow records carry. A record may be emitted after its rule was removed, so of the
 * rules that had packets here, the latest {@value #MAX_FORMER} that are no longer active are kept.
 * One thread.
 */
final class FlowRules {
  private static final int MAX_FORMER = 1 << 12;

  /** Rules that had packets, by ID. Those that were active last are at the end. */
  private final SequencedMap<Long, FlowRule> rules = new LinkedHashMap<>();

  private final FlowTimeouts defaults;
  private final int maxFormer;
  private RulesInForce active;
  private FlowRule[] activeRules;
  private Map<Long, FlowRule> activeById;
  private boolean[] isKept;

  /**
   * Starts with the rule of blocks without rules: after a restart, records of such flows may be
   * emitted before the first block.
   *
   * @param defaults the timeouts of rules that set none
   */
  FlowRules(FlowTimeouts defaults) {
    this(defaults, MAX_FORMER);
  }

  FlowRules(FlowTimeouts defaults, int maxFormer) {
    this.defaults = defaults;
    this.maxFormer = maxFormer;
    activate(RuledBlock.NONE);
    keep(0);
  }

  /** Called for every block. */
  @SuppressWarnings("ReferenceEquality")
  void activate(RulesInForce now) {
    if (now != active) {
      active = now;
      activeRules = new FlowRule[now.size()];
      activeById = new HashMap<>();
      isKept = new boolean[now.size()];
      for (int rule = 0; rule < now.size(); rule++) {
        activeRules[rule] =
            new FlowRule(now.id(rule), now.tag(rule), timeoutsOf(now.function(rule)));
        activeById.put(now.id(rule), activeRules[rule]);
      }
      refresh();
    }
  }

  private FlowTimeouts timeoutsOf(ServiceFunction function) {
    return function instanceof Aggregate aggregate
        ? new FlowTimeouts(aggregate.activeTimeout().toNanos(), aggregate.idleTimeout().toNanos())
        : defaults;
  }

  /** Kept rules that are active again may have another topic. */
  private void refresh() {
    int keptActive = 0;
    for (int rule = 0; rule < activeRules.length; rule++) {
      isKept[rule] = false;
      if (rules.containsKey(activeRules[rule].id())) {
        keep(rule);
        keptActive++;
      }
    }
    while (rules.size() - keptActive > maxFormer) {
      rules.pollFirstEntry();
    }
  }

  /**
   * Called before a record of an active rule begins.
   *
   * @param rule the index of the rule
   */
  void keep(int rule) {
    if (!isKept[rule]) {
      isKept[rule] = true;
      add(activeRules[rule]);
    }
  }

  private void add(FlowRule rule) {
    rules.putLast(rule.id(), rule);
  }

  /** Adds the rules of a checkpoint. Active rules stay as they are. */
  void restore(List<FlowRule> former) {
    former.forEach(this::add);
    refresh();
  }

  /** All kept rules, for a checkpoint. */
  List<FlowRule> all() {
    return List.copyOf(rules.values());
  }

  /** The timeouts of an active rule, by its index. */
  FlowTimeouts timeoutsOfActive(int rule) {
    return activeRules[rule].timeouts();
  }

  /** The tag that records carry. If the rule is neither active nor kept, its ID is the name. */
  RuleTag tag(long id) {
    FlowRule rule = rule(id);
    return rule == null ? RuleTag.of("rule-" + Long.toHexString(id)) : rule.tag();
  }

  long idleNs(long id) {
    FlowRule rule = rule(id);
    return (rule == null ? defaults : rule.timeouts()).idleNs();
  }

  /** State of earlier versions has flows, and not their rules. */
  private FlowRule rule(long id) {
    FlowRule active = activeById.get(id);
    return active == null ? rules.get(id) : active;
  }
}
