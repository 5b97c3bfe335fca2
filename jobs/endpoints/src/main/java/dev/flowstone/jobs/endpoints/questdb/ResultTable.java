// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import static dev.flowstone.results.LineResult.RESULT_KEY;
import static dev.flowstone.results.LineResult.RULE;
import static dev.flowstone.results.LineResult.TIME;

import java.util.Set;
import java.util.stream.Collectors;

/**
 * The table of one kind of results. It is made with what tells its rows apart, so that a result
 * that is sent again replaces itself, and with the columns that are known; others QuestDB adds as
 * lines name them, with the types that lines have.
 */
record ResultTable(String name) {
  private static final String KEYS = String.join(", ", TIME, RULE, RESULT_KEY);

  private static final Set<String> KEY_COLUMNS =
      Set.of(
          "\"%s\",\"TIMESTAMP_NS\",true,true".formatted(TIME),
          "\"%s\",\"SYMBOL\",false,true".formatted(RULE),
          "\"%s\",\"VARCHAR\",false,true".formatted(RESULT_KEY));

  /**
   * Asked before each chunk: it costs little, and a table that somebody dropped would be made anew
   * by the first line, without keys.
   *
   * @throws RefusedException if there is another table of that name, or none can be made
   */
  void ensure(QuestDb questDb) throws StoreAwayException, RefusedException, InterruptedException {
    questDb.execute(
        "CREATE TABLE IF NOT EXISTS \"%s\" (%s TIMESTAMP_NS, %s SYMBOL, %s VARCHAR%s) TIMESTAMP(%s) PARTITION BY DAY WAL DEDUP UPSERT KEYS(%s)"
            .formatted(name, TIME, RULE, RESULT_KEY, KnownColumns.of(name), TIME, KEYS));
    String columns =
        questDb.ask(
            "SELECT \"column\", type, designated, upsertKey FROM table_columns('%s') WHERE designated OR upsertKey"
                .formatted(name));
    Set<String> found = columns.lines().skip(1).collect(Collectors.toSet());
    if (!found.equals(KEY_COLUMNS)) {
      throw new RefusedException(
          "table %s is not one of this job's, and would hold a result twice: its designated and key columns are %s; it wants %s as TIMESTAMP_NS, SYMBOL, VARCHAR with DEDUP UPSERT KEYS(%s). Rename it, and the job makes its own"
              .formatted(name, found, KEYS, KEYS),
          RefusedException.NO_LINE);
    }
  }
}
