// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import static dev.flowstone.results.LineResult.RESULT_KEY;
import static dev.flowstone.results.LineResult.RULE;
import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The columns that lines name, beside those of each table, with the types that QuestDB would give
 * them: as {@code LineResult} writes lines, and no other. Not more than one statement may hold; the
 * rest QuestDB adds.
 */
final class LineColumns {
  static final int MOST_COLUMNS = 200;

  private final byte[] lines;
  private final Map<String, String> types = new LinkedHashMap<>();
  private int at;

  private LineColumns(byte[] lines) {
    this.lines = lines;
  }

  /** Name and type, in the order in which lines name them. */
  static Map<String, String> of(LineChunk chunk) {
    LineColumns columns = new LineColumns(chunk.lines());
    while (columns.at < columns.lines.length && columns.types.size() < MOST_COLUMNS) {
      columns.readLine();
    }
    columns.types.remove(RULE);
    columns.types.remove(RESULT_KEY);
    return columns.types;
  }

  private void readLine() {
    skipTo(',', ' ');
    while (lines[at] == ',') {
      keep(readName(), "SYMBOL");
      skipTo(',', ' ');
    }
    if (hasColumns()) {
      do {
        String name = readName();
        keep(name, readType());
      } while (lines[at] == ',');
    }
    skipTo('\n', '\n');
    at++;
  }

  private void keep(String name, String type) {
    if (types.size() < MOST_COLUMNS) {
      types.putIfAbsent(name, type);
    }
  }

  /** What follows is not the time yet, which is a number without a name. */
  private boolean hasColumns() {
    byte first = lines[at + 1];
    return first >= 'a' && first <= 'z';
  }

  private String readName() {
    int begin = at + 1;
    skipTo('=', '=');
    return new String(lines, begin, at++ - begin, US_ASCII);
  }

  private String readType() {
    if (lines[at] == '"') {
      at++;
      skipTo('"', '"');
      at++;
      return "VARCHAR";
    }
    skipTo(',', ' ');
    return lines[at - 1] == 'i' ? "LONG" : "DOUBLE";
  }

  /** To the next of the two that nothing escapes. */
  private void skipTo(char one, char other) {
    while (lines[at] != one && lines[at] != other) {
      at += lines[at] == '\\' ? 2 : 1;
    }
  }
}
