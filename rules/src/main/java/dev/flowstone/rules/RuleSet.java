// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules;

import dev.flowstone.rules.function.ServiceFunction;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Rules in the order of their precedence: of those that match a packet the first one counts. The
 * last one is the default and matches every packet, so each packet has exactly one rule.
 *
 * <p>A rule's index in this list is its number wherever packets are counted by rule. Whoever loads
 * a set gives it a version; what travels is the original text, not an object.
 */
public record RuleSet(List<Rule> rules) {
  /** Of 64 words of 64 rules the classifier finds the first in two steps. */
  public static final int MOST_RULES = 4096;

  /** Each costs every packet a look-up of its own. */
  public static final int MOST_ADDRESS_MASKS = 16;

  public static final String DEFAULT_NAME = "default";

  private static final Comparator<Rule> PRECEDENCE =
      Comparator.comparingInt(Rule::priority).reversed();

  public RuleSet {
    rules = List.copyOf(rules);
    if (rules.size() > MOST_RULES) {
      throw new IllegalArgumentException(
          "at most " + MOST_RULES + " rules with the default: " + rules.size());
    }
    if (rules.isEmpty() || !isDefault(rules.getLast())) {
      throw new IllegalArgumentException("the last rule must be the default, for every packet");
    }
    if (!rules.equals(sorted(rules.subList(0, rules.size() - 1), rules.getLast()))) {
      throw new IllegalArgumentException("rules must stand in the order of their priority");
    }
    requireDistinctNames(rules);
    requireFewMasks(rules);
    rules.forEach(new TopicKinds()::add);
  }

  /** Of rules as a file has them: higher priority first, equal ones as they stand. */
  public static RuleSet of(List<Rule> asWritten, Rule defaultRule) {
    return new RuleSet(sorted(asWritten, defaultRule));
  }

  /** The rule for what no other one matches. */
  public static Rule defaultRule(
      ServiceFunction function, Optional<String> topic, Optional<Long> flowId) {
    return new Rule(DEFAULT_NAME, 0, Match.EVERY, function, topic, flowId);
  }

  public int size() {
    return rules.size();
  }

  public Rule defaultRule() {
    return rules.getLast();
  }

  /**
   * The name of a rule before this one that leaves it no packet. Looks at rules one by one: that
   * several together leave nothing is not found.
   */
  public Optional<String> shadowOf(int index) {
    Match match = rules.get(index).match();
    return rules.stream()
        .limit(index)
        .filter(before -> before.match().covers(match))
        .map(Rule::name)
        .findFirst();
  }

  private static List<Rule> sorted(List<Rule> asWritten, Rule defaultRule) {
    return Stream.concat(asWritten.stream().sorted(PRECEDENCE), Stream.of(defaultRule)).toList();
  }

  private static boolean isDefault(Rule rule) {
    return rule.name().equals(DEFAULT_NAME) && rule.match().equals(Match.EVERY);
  }

  private static void requireDistinctNames(List<Rule> rules) {
    Set<String> names = new HashSet<>();
    for (Rule rule : rules) {
      if (!names.add(rule.name())) {
        throw new IllegalArgumentException("two rules have the name " + rule.name());
      }
    }
  }

  private static void requireFewMasks(List<Rule> rules) {
    long masks =
        rules.stream()
            .map(Rule::match)
            .map(RuleSet::masks)
            .flatMap(Collection::stream)
            .distinct()
            .count();
    if (masks > MOST_ADDRESS_MASKS) {
      throw new IllegalArgumentException(
          "at most "
              + MOST_ADDRESS_MASKS
              + " different address masks that are no prefixes: "
              + masks
              + "; write the addresses as prefixes where they are some");
    }
  }

  private record Mask(boolean ofSource, boolean ipv4, long high, long low) {}

  private static List<Mask> masks(Match match) {
    return Stream.concat(
            match.source().stream().map(address -> mask(true, address)),
            match.destination().stream().map(address -> mask(false, address)))
        .flatMap(Optional::stream)
        .toList();
  }

  private static Optional<Mask> mask(boolean ofSource, AddressMatch address) {
    return address.isPrefix()
        ? Optional.empty()
        : Optional.of(new Mask(ofSource, address.ipv4(), address.maskHigh(), address.maskLow()));
  }
}
