// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.rules.command;

import dev.flowstone.rules.RuleSet;
import dev.flowstone.rules.RuleWords;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Rules as a table for people, the one that counts first at the top. */
record RuleTable(List<List<String>> rows) {
  private static final List<String> HEADER =
      List.of("priority", "name", "packets", "function", "topic");

  static RuleTable of(RuleSet rules) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEADER);
    RuleWords.of(rules).forEach(rule -> rows.add(row(rule)));
    return new RuleTable(rows);
  }

  private static List<String> row(RuleWords rule) {
    return List.of(rule.priority(), rule.name(), rule.packets(), rule.function(), rule.topic());
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
