// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What tables of {@code ./flowstone sql} ask QuestDB for, in the words that it is sent. */
final class AskedColumns {
  private static final Path SCRIPT = Path.of("../../flink-conf/sql/4-questdb.sql");
  private static final Pattern COLUMN =
      Pattern.compile("(?:`([^`]+)`|(\\w+)) (?:STRING|BIGINT|DOUBLE|TIMESTAMP\\(6\\))");

  private AskedColumns() {}

  static List<String> of(String kind) throws IOException {
    Matcher table =
        Pattern.compile(
                "CREATE TABLE questdb\\.%s \\((.*?)\\n\\) WITH".formatted(kind), Pattern.DOTALL)
            .matcher(Files.readString(SCRIPT));
    if (!table.find()) {
      throw new AssertionError("no table " + kind + " in " + SCRIPT);
    }
    return COLUMN
        .matcher(table.group(1))
        .results()
        .map(column -> column.group(1) == null ? column.group(2) : column.group(1))
        .toList();
  }
}
