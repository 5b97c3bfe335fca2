// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import java.util.ArrayList;
import java.util.List;

/** A table of a page; columns in which no row has anything are left out. */
final class Table {
  private final List<String> head;
  private final List<List<String>> rows = new ArrayList<>();

  Table(String... head) {
    this.head = List.of(head);
  }

  Table row(String... cells) {
    if (cells.length != head.size()) {
      throw new IllegalArgumentException(cells.length + " cells for " + head);
    }
    rows.add(List.of(cells));
    return this;
  }

  boolean isEmpty() {
    return rows.isEmpty();
  }

  /** With an empty line after it; nothing, where there are no rows. */
  @Override
  public String toString() {
    if (rows.isEmpty()) {
      return "";
    }
    List<Integer> shown = new ArrayList<>();
    for (int column = 0; column < head.size(); column++) {
      int each = column;
      if (rows.stream().anyMatch(row -> !row.get(each).isEmpty())) {
        shown.add(column);
      }
    }
    StringBuilder text = new StringBuilder();
    line(text, shown, head);
    text.append("|---".repeat(shown.size())).append("|\n");
    rows.forEach(row -> line(text, shown, row));
    return text.append('\n').toString();
  }

  private static void line(StringBuilder text, List<Integer> shown, List<String> cells) {
    for (int column : shown) {
      // Also within code: a table's cells are found first.
      text.append("| ").append(cells.get(column).replace("|", "\\|")).append(' ');
    }
    text.append("|\n");
  }
}
