// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.inspect.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Rows of text in columns as wide as their widest cell; numbers to the right. */
final class TextTable {
  private static final String BETWEEN = "  ";

  private final String indent;
  private final List<String> heads;
  private final List<String[]> rows = new ArrayList<>();

  /** A head that starts with {@code >} stands over a column that is aligned to the right. */
  TextTable(String indent, String... heads) {
    this.indent = indent;
    this.heads = List.of(heads);
    row(this.heads.stream().map(head -> head.replaceFirst("^>", "")).toArray(String[]::new));
  }

  void row(String... cells) {
    if (cells.length != heads.size()) {
      throw new IllegalArgumentException(
          "a row needs " + heads.size() + " cells, not " + cells.length);
    }
    rows.add(cells);
  }

  String text() {
    String format =
        IntStream.range(0, heads.size())
            .mapToObj(this::format)
            .collect(Collectors.joining(BETWEEN, indent, ""));
    return rows.stream()
        .map(row -> String.format(Locale.ROOT, format, (Object[]) row).stripTrailing() + "\n")
        .collect(Collectors.joining());
  }

  private String format(int column) {
    int width = rows.stream().mapToInt(row -> row[column].length()).max().orElseThrow();
    return "%" + (heads.get(column).startsWith(">") ? "" : "-") + width + "s";
  }
}
