// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import static dev.flowstone.results.LineResult.RESULT_KEY;
import static dev.flowstone.results.LineResult.RULE;
import static dev.flowstone.results.LineResult.TIME;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * The table of one kind of results. It is made with what tells its rows apart, so that a result
 * that is sent again replaces itself, and with the columns that are known or that the first lines
 * name; others QuestDB adds as later lines name them, with the types that lines have.
 */
record ResultTable(String name) {
  private static final String KEYS = String.join(", ", TIME, RULE, RESULT_KEY);

  private static final Set<String> KEY_COLUMNS =
      Set.of(
          TIME + ",TIMESTAMP_NS,true,true",
          RULE + ",SYMBOL,false,true",
          RESULT_KEY + ",VARCHAR,false,true");

  /**
   * Asked before each chunk: it costs little, and a table that somebody dropped would be made anew
   * by the first line, without keys.
   *
   * @param first what is written next
   * @throws RefusedException if there is another table of that name, or none can be made
   */
  void ensure(QuestDb questDb, LineChunk first)
      throws StoreAwayException, RefusedException, InterruptedException {
    Set<String> found;
    try {
      found = keyColumns(questDb);
    } catch (RefusedException notThere) {
      questDb.execute(creation(LineColumns.of(first)));
      found = keyColumns(questDb);
    }
    if (!found.equals(KEY_COLUMNS)) {
      throw new RefusedException(
          "table %s is not one of this job's, and would hold a result twice: its designated and key columns are %s; it wants %s as TIMESTAMP_NS, SYMBOL, VARCHAR with DEDUP UPSERT KEYS(%s). Rename it, and the job makes its own"
              .formatted(name, found, KEYS, KEYS),
          RefusedException.NO_LINE);
    }
  }

  private String creation(Map<String, String> columnsOfLines) {
    Map<String, String> columns = new LinkedHashMap<>(KnownColumns.of(name));
    columnsOfLines.forEach(columns::putIfAbsent);
    StringBuilder definitions = new StringBuilder();
    columns.forEach((column, type) -> definitions.append(", \"%s\" %s".formatted(column, type)));
    return "CREATE TABLE IF NOT EXISTS \"%s\" (%s TIMESTAMP_NS, %s SYMBOL, %s VARCHAR%s) TIMESTAMP(%s) PARTITION BY DAY WAL DEDUP UPSERT KEYS(%s)"
        .formatted(name, TIME, RULE, RESULT_KEY, definitions, TIME, KEYS);
  }

  private Set<String> keyColumns(QuestDb questDb)
      throws StoreAwayException, RefusedException, InterruptedException {
    return Set.copyOf(
        questDb.ask(
            "SELECT \"column\", type, designated, upsertKey FROM table_columns('%s') WHERE designated OR upsertKey"
                .formatted(name)));
  }

  /**
   * Makes a table anew that QuestDB was killed in the making of: such a one is there, takes no line
   * ever, and has no row, for nothing ever counted its writes.
   *
   * <p>The caller keeps its job's other senders in this process from writing meanwhile: a line
   * between the two steps would make the table without keys. Those of other processes and jobs may
   * come between them still, in one round trip.
   *
   * @return whether there was one
   */
  boolean makeAnewIfHalfMade(QuestDb questDb, LineChunk first)
      throws StoreAwayException, RefusedException, InterruptedException {
    if (hasRows(questDb) || !isHalfMade(questDb)) {
      return false;
    }
    try {
      questDb.execute("DROP TABLE \"%s\"".formatted(name));
    } catch (RefusedException saysThatItIsNotThere) {
      // And takes it away all the same.
    }
    ensure(questDb, first);
    return !isHalfMade(questDb);
  }

  private boolean hasRows(QuestDb questDb)
      throws StoreAwayException, RefusedException, InterruptedException {
    return !questDb.ask("SELECT * FROM \"%s\" LIMIT 1".formatted(name)).isEmpty();
  }

  /**
   * Known as a table, and not as one that counts its writes: the folder of its counts is not there
   * or, where it is, cannot be read (-1).
   */
  private boolean isHalfMade(QuestDb questDb)
      throws StoreAwayException, RefusedException, InterruptedException {
    return !questDb
        .ask(
            "SELECT table_name FROM tables() WHERE walEnabled AND table_name = '%s' EXCEPT SELECT name FROM wal_tables() WHERE sequencerTxn >= 0 OR writerTxn > 0"
                .formatted(name))
        .isEmpty();
  }
}
