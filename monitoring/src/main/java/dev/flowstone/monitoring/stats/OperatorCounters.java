// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.stats;

import static java.util.Comparator.comparing;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/**
 * What an operator has counted, all its subtasks together, at one moment.
 *
 * @param name as Flink's REST interface spells it: {@code _} for a blank, a dot, a colon
 * @param values by their scope and name, such as {@code rule.web.packetsOfRule}
 */
public record OperatorCounters(String name, Map<String, Long> values) {
  private static final String RINGS = "taprings.";
  private static final String OF_RULE = "rule.";

  /**
   * What functions of users count themselves, under whatever names: behind operator, rule and a
   * group that is theirs. Flink's REST interface has no dots within these. What Flink gives its
   * serializers is in a group of that name, too, but of no rule.
   */
  private static final Pattern OF_USERS = Pattern.compile("[^.]+\\.rule\\.[^.]+\\.user\\..+");

  /**
   * The operators of a task.
   *
   * @param task counters by their names there, {@code Rules.rule.web.packetsOfRule}
   */
  public static List<OperatorCounters> ofTask(Map<String, Long> task) {
    Map<String, Map<String, Long>> byOperator = new LinkedHashMap<>();
    task.forEach(
        (name, value) -> {
          int end = name.indexOf('.');
          if (end > 0 && !OF_USERS.matcher(name).matches()) {
            byOperator
                .computeIfAbsent(name.substring(0, end), _ -> new LinkedHashMap<>())
                .put(name.substring(end + 1), value);
          }
        });
    List<OperatorCounters> operators = new ArrayList<>();
    byOperator.forEach((name, values) -> operators.add(new OperatorCounters(name, values)));
    return operators;
  }

  /** Of these the known stages, in the order of the packets' way. */
  public static List<OperatorCounters> known(List<OperatorCounters> operators) {
    return operators.stream()
        .filter(operator -> KnownStage.of(operator).isPresent())
        .sorted(comparing(operator -> KnownStage.of(operator).orElseThrow()))
        .toList();
  }

  static String lastWord(String name) {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  /** As the job named it, as well as can be said. */
  public String title() {
    return name.replace("__", ": ").replace('_', ' ');
  }

  boolean has(String counter) {
    return values.keySet().stream().anyMatch(name -> lastWord(name).equals(counter));
  }

  /** Over all rules and rings. */
  public long sum(List<String> counters) {
    return values.entrySet().stream()
        .filter(each -> counters.contains(lastWord(each.getKey())))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  /**
   * A counter that each rule has, by the rule's name as Flink's REST interface spells it.
   *
   * @param counter such as {@code packetsOfRule}
   */
  public Map<String, Long> byRule(String counter) {
    Map<String, Long> byRule = new LinkedHashMap<>();
    values.forEach(
        (name, value) -> {
          if (name.startsWith(OF_RULE) && lastWord(name).equals(counter)) {
            byRule.put(
                name.substring(OF_RULE.length(), name.length() - counter.length() - 1), value);
          }
        });
    return byRule;
  }

  /** Of a source: calls back for each ring with its counters alone. */
  public void eachRing(BiConsumer<String, OperatorCounters> rings) {
    Map<String, Map<String, Long>> byRing = new LinkedHashMap<>();
    values.forEach(
        (name, value) -> {
          if (name.startsWith(RINGS)) {
            String counter = lastWord(name);
            String ring = name.substring(RINGS.length(), name.length() - counter.length() - 1);
            byRing
                .computeIfAbsent(ring.replace(".ring.", "/"), _ -> new LinkedHashMap<>())
                .put(counter, value);
          }
        });
    byRing.keySet().stream()
        .sorted()
        .forEach(ring -> rings.accept(ring, new OperatorCounters(ring, byRing.get(ring))));
  }
}
