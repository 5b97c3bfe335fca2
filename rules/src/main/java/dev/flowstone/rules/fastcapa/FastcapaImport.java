// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.fastcapa;

import dev.flowstone.rules.Problem;
import dev.flowstone.rules.Problems;
import dev.flowstone.rules.Rule;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.function.Pass;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * The rules of a fastcapa-ng configuration.
 *
 * @param leftOut what has no meaning here, and where it stands
 */
public record FastcapaImport(RuleSet rules, List<Problem> leftOut) {
  /**
   * Reads a configuration.
   *
   * @param file what to call it where something is wrong
   * @param tscHz of the processor that {@code report_interval_tsc} was written for
   * @throws dev.flowstone.rules.RulesFileException with place and reason of all that is wrong
   */
  public static FastcapaImport read(String text, String file, OptionalDouble tscHz) {
    Problems problems = new Problems(file);
    List<Problem> leftOut = new ArrayList<>();
    Optional<RuleSet> rules =
        GroupReader.read(text, problems).flatMap(root -> rules(root, problems, leftOut, tscHz));
    problems.throwIfAny();
    return new FastcapaImport(
        rules.orElseThrow(),
        leftOut.stream().sorted(Comparator.comparing(Problem::place)).toList());
  }

  private static Optional<RuleSet> rules(
      Group file, Problems problems, List<Problem> leftOut, OptionalDouble tscHz) {
    List<Group> found = new ArrayList<>();
    collect(file, found, leftOut);
    if (found.isEmpty()) {
      problems.add(file.place(), "no rule: a group in braces with keys such as srcIP or protocol");
      return Optional.empty();
    }
    Set<String> names = new HashSet<>(Set.of(RuleSet.DEFAULT_NAME));
    List<Rule> rules = new ArrayList<>();
    for (Group group : found) {
      String name = name(group, names, rules.size() + 1, leftOut);
      problems.enter(Optional.of(name));
      new FastcapaRule(group, name, problems, leftOut, tscHz).rule().ifPresent(rules::add);
    }
    problems.enter(Optional.empty());
    if (problems.count() > 0) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          RuleSet.of(
              rules, RuleSet.defaultRule(Pass.unchanged(), Optional.empty(), Optional.empty())));
    } catch (IllegalArgumentException e) {
      problems.add(file.place(), e.getMessage());
      return Optional.empty();
    }
  }

  /** The outermost groups that have a rule's keys; what stands outside of them is left out. */
  private static void collect(Group group, List<Group> found, List<Problem> leftOut) {
    for (Setting setting : group.settings()) {
      leftOut.add(
          new Problem(
              setting.place(),
              Optional.empty(),
              setting.key() + " " + setting.value() + ": stands outside of a rule"));
    }
    for (Group inner : group.groups()) {
      if (inner.settings().stream().anyMatch(FastcapaImport::isOfRules)) {
        found.add(inner);
      } else {
        if (inner.all().findAny().isEmpty()) {
          leftOut.add(new Problem(inner.place(), Optional.empty(), "a group with nothing in it"));
        }
        collect(inner, found, leftOut);
      }
    }
  }

  private static boolean isOfRules(Setting setting) {
    return FastcapaKey.of(setting.key()).filter(FastcapaKey::isOfRules).isPresent();
  }

  /** The group's own where it is a name and new, else a number. */
  private static String name(Group group, Set<String> taken, int number, List<Problem> leftOut) {
    String own = group.name();
    boolean isName = Rule.NAME.matcher(own).matches();
    if (isName && taken.add(own)) {
      return own;
    }
    String numbered = "rule-" + number;
    while (!taken.add(numbered)) {
      numbered += "-";
    }
    if (!own.isEmpty()) {
      leftOut.add(
          new Problem(
              group.place(),
              Optional.of(numbered),
              "the name " + own + ": " + (isName ? "is taken" : "is none for a rule")));
    }
    return numbered;
  }
}
