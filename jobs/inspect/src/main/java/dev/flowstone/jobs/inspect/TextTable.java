// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import java.util.ArrayList;
import java.util.List;

/** Rows of text in columns as wide as their widest cell; numbers to the right. */
final class TextTable {
  private static final String BETWEEN = "  ";

  private final String indent;
  private final List<String> heads;
  private final boolean[] right;
  private final List<List<String>> rows = new ArrayList<>();

  /** A head that starts with {@code >} stands over a column that is aligned to the right. */
  TextTable(String indent, String... heads) {
    this.indent = indent;
    this.heads = new ArrayList<>();
    right = new boolean[heads.length];
    for (int i = 0; i < heads.length; i++) {
      right[i] = heads[i].startsWith(">");
      this.heads.add(right[i] ? heads[i].substring(1) : heads[i]);
    }
  }

  void row(String... cells) {
    if (cells.length != heads.size()) {
      throw new IllegalArgumentException(
          "a row needs " + heads.size() + " cells, not " + cells.length);
    }
    rows.add(List.of(cells));
  }

  String text() {
    StringBuilder text = new StringBuilder();
    append(text, heads);
    rows.forEach(row -> append(text, row));
    return text.toString();
  }

  private void append(StringBuilder text, List<String> cells) {
    StringBuilder line = new StringBuilder(indent);
    for (int column = 0; column < cells.size(); column++) {
      String cell = cells.get(column);
      String padding = " ".repeat(width(column) - cell.length());
      line.append(column == 0 ? "" : BETWEEN)
          .append(right[column] ? padding + cell : cell + padding);
    }
    text.append(line.toString().stripTrailing()).append('\n');
  }

  private int width(int column) {
    int widest = heads.get(column).length();
    for (List<String> row : rows) {
      widest = Math.max(widest, row.get(column).length());
    }
    return widest;
  }
}
