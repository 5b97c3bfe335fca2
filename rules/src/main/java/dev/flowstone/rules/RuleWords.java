// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules;

import dev.flowstone.rules.function.Aggregate;
import dev.flowstone.rules.function.Anomaly;
import dev.flowstone.rules.function.Detector;
import dev.flowstone.rules.function.Drop;
import dev.flowstone.rules.function.Histogram;
import dev.flowstone.rules.function.Pass;
import dev.flowstone.rules.function.Sample;
import dev.flowstone.rules.function.ServiceFunction;
import dev.flowstone.rules.function.UserFunction;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * A rule in words for people, each of one line.
 *
 * @param priority empty: of the default, which comes last
 * @param packets which it is for
 * @param kind the function's name, as a rules file calls it
 * @param topic empty: the job's usual one
 */
public record RuleWords(
    String priority, String name, String packets, String kind, String function, String topic) {

  /** In the order in which they are asked. */
  public static List<RuleWords> of(RuleSet rules) {
    return rules.rules().stream().map(rule -> of(rule, rule.equals(rules.defaultRule()))).toList();
  }

  private static RuleWords of(Rule rule, boolean isDefault) {
    return new RuleWords(
        isDefault ? "" : Integer.toString(rule.priority()),
        rule.name(),
        isDefault ? "every other packet" : rule.match().toString(),
        rule.function().name(),
        described(rule.function()),
        rule.topic().orElse(""));
  }

  private static String described(ServiceFunction function) {
    return switch (function) {
      case Pass(Optional<String> key) -> "pass" + anonymised(key);
      case Drop _ -> "drop";
      case Aggregate _ -> "aggregate";
      case Sample sample ->
          "sample 1:%d by %s%s"
              .formatted(sample.oneIn(), worded(sample.by()), anonymised(sample.anonymiseKey()));
      case Histogram histogram -> "histogram per " + worded(histogram.per());
      case Anomaly(List<Detector> detectors) ->
          detectors.stream().map(each -> worded(each.kind())).collect(Collectors.joining(", "));
      case UserFunction user -> "user " + user.className();
    };
  }

  private static String anonymised(Optional<String> key) {
    return key.map(name -> ", anonymised").orElse("");
  }

  private static String worded(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
