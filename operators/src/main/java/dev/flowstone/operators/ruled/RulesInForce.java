// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.operators.ruled;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.flowstone.results.RuleTag;
import dev.flowstone.rules.Match;
import dev.flowstone.rules.Rule;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.function.ServiceFunction;
import dev.flowstone.rules.yaml.RulesYaml;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A set of rules while it counts: with its version, and with a number for each rule that stays the
 * same as long as the rule's name and function do, in whatever version, subtask or run of the job.
 * State of functions that is kept by rule is kept by that number. Immutable.
 */
public final class RulesInForce {
  private final RulesText text;
  private final RuleSet rules;
  private final long[] ids;
  private final RuleTag[] tags;
  private final FunctionKind[] kinds;

  private RulesInForce(RulesText text, RuleSet rules) {
    this.text = text;
    this.rules = rules;
    ids = rules.rules().stream().mapToLong(RulesInForce::idOf).toArray();
    tags = rules.rules().stream().map(RulesInForce::tagOf).toArray(RuleTag[]::new);
    kinds =
        rules.rules().stream()
            .map(rule -> FunctionKind.of(rule.function()))
            .toArray(FunctionKind[]::new);
    requireDistinctIds();
  }

  public static RulesInForce of(long version, RuleSet rules) {
    return new RulesInForce(new RulesText(version, "rules", RulesYaml.write(rules)), rules);
  }

  /**
   * The same.
   *
   * @param text that these rules were read from
   */
  static RulesInForce of(RulesText text, RuleSet rules) {
    return new RulesInForce(text, rules);
  }

  /** Of one rule, for every packet. */
  public static RulesInForce everyPacket(ServiceFunction function) {
    return of(
        0,
        RuleSet.of(List.of(), RuleSet.defaultRule(function, Optional.empty(), Optional.empty())));
  }

  /** The rule as text, but for what may change while its state stays: match, priority, topic. */
  private static long idOf(Rule rule) {
    Rule named =
        new Rule(
            rule.name().equals(RuleSet.DEFAULT_NAME) ? "the-default" : rule.name(),
            0,
            Match.EVERY,
            rule.function(),
            Optional.empty(),
            Optional.empty());
    String text =
        RulesYaml.write(
            RuleSet.of(
                List.of(named),
                RuleSet.defaultRule(rule.function(), Optional.empty(), Optional.empty())));
    return ByteBuffer.wrap(sha256(text)).getLong();
  }

  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static RuleTag tagOf(Rule rule) {
    return new RuleTag(
        rule.name(),
        rule.topic().orElse(RuleTag.NO_TOPIC),
        rule.flowId().orElse(RuleTag.NO_FLOW_ID));
  }

  private void requireDistinctIds() {
    Map<Long, String> names = new HashMap<>();
    for (int rule = 0; rule < ids.length; rule++) {
      String other = names.put(ids[rule], tags[rule].name());
      if (other != null) {
        throw new IllegalArgumentException(
            "rules " + other + " and " + tags[rule].name() + " have the same number: rename one");
      }
    }
  }

  public long version() {
    return text.version();
  }

  public RuleSet rules() {
    return rules;
  }

  /**
   * As they travel: as somebody wrote them, for what is written anew may be longer than allowed.
   */
  RulesText text() {
    return text;
  }

  /** How many rules, with the default. */
  public int size() {
    return ids.length;
  }

  public ServiceFunction function(int rule) {
    return rules.rules().get(rule).function();
  }

  public FunctionKind kind(int rule) {
    return kinds[rule];
  }

  public long id(int rule) {
    return ids[rule];
  }

  /** What results of the rule carry. */
  public RuleTag tag(int rule) {
    return tags[rule];
  }
}
