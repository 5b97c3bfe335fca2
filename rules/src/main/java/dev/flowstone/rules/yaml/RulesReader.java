// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.yaml;

import dev.flowstone.rules.Match;
import dev.flowstone.rules.Place;
import dev.flowstone.rules.Problems;
import dev.flowstone.rules.Rule;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.TopicKinds;
import dev.flowstone.rules.function.Pass;
import dev.flowstone.rules.function.ServiceFunction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the whole of a file; throws when all that is wrong is known. */
final class RulesReader {
  private static final Rule USUAL_DEFAULT =
      RuleSet.defaultRule(Pass.unchanged(), Optional.empty(), Optional.empty());

  private final Problems problems;
  private final Map<String, Place> names = new HashMap<>();
  private final TopicKinds topics = new TopicKinds();

  private RulesReader(Problems problems) {
    this.problems = problems;
  }

  static RuleSet read(String text, String file) {
    Problems problems = new Problems(file);
    Optional<RuleSet> rules =
        YamlTree.read(text, problems)
            .flatMap(root -> Section.of(root, "the file", problems))
            .flatMap(new RulesReader(problems)::rules);
    problems.throwIfAny();
    return rules.orElseThrow();
  }

  private Optional<RuleSet> rules(Section file) {
    boolean isThere = file.node("rules").isPresent();
    List<YamlNode> items = file.list("rules").orElse(List.of());
    if (!isThere) {
      return file.missing("rules, a list");
    }
    if (items.size() >= RuleSet.MOST_RULES) {
      problems.add(
          file.place(),
          "at most %d rules and the default: %d".formatted(RuleSet.MOST_RULES - 1, items.size()));
      return Optional.empty();
    }
    List<Rule> rules = new ArrayList<>();
    for (YamlNode item : items) {
      Section.of(item, "a rule", problems).flatMap(this::rule).ifPresent(rules::add);
      problems.enter(Optional.empty());
    }
    Optional<Rule> defaultRule =
        file.node("default").isPresent()
            ? file.section("default").flatMap(this::defaultRule)
            : Optional.of(USUAL_DEFAULT);
    problems.enter(Optional.empty());
    file.end();
    return problems.count() > 0
        ? Optional.empty()
        : file.made(() -> RuleSet.of(rules, defaultRule.orElseThrow()));
  }

  private Optional<Rule> rule(Section rule) {
    Optional<String> name = name(rule);
    problems.enter(name);
    int priority = rule.integer("priority", 0, Integer.MAX_VALUE).orElse(0);
    Match match = rule.section("match").flatMap(MatchReader::read).orElse(Match.EVERY);
    Optional<? extends ServiceFunction> function = function(rule);
    Optional<String> topic = topic(rule);
    Optional<Long> flowId = flowId(rule);
    rule.end();
    return name.isEmpty() || function.isEmpty()
        ? Optional.empty()
        : rule.made(
            () -> topics.add(new Rule(name.get(), priority, match, function.get(), topic, flowId)));
  }

  private Optional<Rule> defaultRule(Section rule) {
    problems.enter(Optional.of(RuleSet.DEFAULT_NAME));
    Optional<? extends ServiceFunction> function = function(rule);
    Optional<String> topic = topic(rule);
    Optional<Long> flowId = flowId(rule);
    rule.end();
    return function.flatMap(
        each -> rule.made(() -> topics.add(RuleSet.defaultRule(each, topic, flowId))));
  }

  private Optional<String> name(Section rule) {
    boolean isNamed = rule.node("name").isPresent();
    Optional<String> name = rule.parsed("name", Rule::requireName);
    if (!isNamed) {
      return rule.missing("name");
    }
    name.ifPresent(each -> requireNew(each, rule.node("name").orElseThrow().place()));
    return name;
  }

  private void requireNew(String name, Place place) {
    Place former = names.putIfAbsent(name, place);
    if (former != null) {
      problems.add(place, "a rule named " + name + " stands at line " + former.line());
    }
    if (name.equals(RuleSet.DEFAULT_NAME)) {
      problems.add(place, "default is the name of the rule for all other packets; take another");
    }
  }

  private Optional<? extends ServiceFunction> function(Section rule) {
    Optional<YamlNode> node = rule.node("function");
    return node.isEmpty() ? rule.missing("function") : FunctionReader.read(node.get(), problems);
  }

  private static Optional<String> topic(Section rule) {
    return rule.parsed("topic", Rule::requireTopic);
  }

  private static Optional<Long> flowId(Section rule) {
    return rule.whole("flow_id", 0, Rule.MOST_FLOW_ID);
  }
}
