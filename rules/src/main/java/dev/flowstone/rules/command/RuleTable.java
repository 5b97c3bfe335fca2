// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.command;

import dev.flowstone.rules.Rule;
import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.function.Aggregate;
import dev.flowstone.rules.function.Anomaly;
import dev.flowstone.rules.function.Detector;
import dev.flowstone.rules.function.Drop;
import dev.flowstone.rules.function.Histogram;
import dev.flowstone.rules.function.Pass;
import dev.flowstone.rules.function.Sample;
import dev.flowstone.rules.function.ServiceFunction;
import dev.flowstone.rules.function.UserFunction;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** Rules as a table for people, the one that counts first at the top. */
record RuleTable(List<List<String>> rows) {
  private static final List<String> HEADER =
      List.of("priority", "name", "packets", "function", "topic");

  static RuleTable of(RuleSet rules) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEADER);
    rules.rules().forEach(rule -> rows.add(row(rule, rule.equals(rules.defaultRule()))));
    return new RuleTable(rows);
  }

  private static List<String> row(Rule rule, boolean isDefault) {
    return List.of(
        isDefault ? "" : Integer.toString(rule.priority()),
        rule.name(),
        isDefault ? "every other packet" : rule.match().toString(),
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

  void print(PrintStream out) {
    int[] widths = new int[HEADER.size()];
    for (List<String> row : rows) {
      for (int column = 0; column < widths.length; column++) {
        widths[column] = Math.max(widths[column], row.get(column).length());
      }
    }
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < widths.length; column++) {
        // Numbers to the right, words to the left.
        String cell = column == 0 ? "%" + widths[column] + "s  " : "%-" + widths[column] + "s  ";
        line.append(cell.formatted(row.get(column)));
      }
      out.println(line.toString().stripTrailing());
    }
  }
}
