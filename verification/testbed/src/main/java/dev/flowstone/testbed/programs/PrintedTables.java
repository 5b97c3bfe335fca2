// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.programs;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The tables that the SQL client printed. */
public record PrintedTables(String output) {
  private static final Pattern CELL = Pattern.compile("[^|]+");
  private static final Pattern END = Pattern.compile("(\\d+) rows? in set");

  /** Returns the number of tables that are complete. */
  public long count() {
    return END.matcher(output).results().count();
  }

  /** Returns the value in the first row of each table that has the column. */
  public List<String> firstOf(String column) {
    List<String> values = new ArrayList<>();
    String[] lines = output.split("\n", -1);
    for (int i = 0; i + 2 < lines.length; i++) {
      int index = cells(lines[i]).indexOf(column);
      if (index >= 0) {
        values.add(cells(lines[i + 2]).get(index));
      }
    }
    return values;
  }

  private static List<String> cells(String line) {
    return CELL.matcher(line).results().map(MatchResult::group).map(String::strip).toList();
  }
}
