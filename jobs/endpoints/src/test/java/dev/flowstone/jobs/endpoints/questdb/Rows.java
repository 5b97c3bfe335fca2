// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;

/** What stands in a table of {@link Counted} results. */
final class Rows {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private Rows() {}

  /** As they stand there when they are that many, or after a while. */
  static List<String> read(URI questDb, String table, long count) throws Exception {
    long deadlineNs = System.nanoTime() + PATIENCE.toNanos();
    try (QuestDb client = new QuestDb(questDb, "")) {
      List<String> rows = List.of();
      do {
        Thread.sleep(100);
        try {
          // First, so that no row comes after: twice the same would be one of these.
          boolean isAllApplied = isAllApplied(client, table);
          rows = rows(client, table);
          if (isAllApplied && rows.size() >= count) {
            return rows;
          }
        } catch (RefusedException | StoreAwayException notYet) {
          // Columns come with the first rows, and QuestDB may be away.
        }
      } while (System.nanoTime() - deadlineNs < 0);
      return rows;
    }
  }

  private static boolean isAllApplied(QuestDb client, String table) throws Exception {
    return client
        .ask(
            "SELECT count() FROM wal_tables() WHERE name = '%s' AND writerTxn < sequencerTxn"
                .formatted(table))
        .getLast()
        .equals("0");
  }

  private static List<String> rows(QuestDb client, String table) throws Exception {
    return client.ask(
        "SELECT time::long, rule, first, replace(second, '\n', '|'), number FROM %s ORDER BY number"
            .formatted(table));
  }

  static List<String> expected(String kind, long count) {
    return LongStream.range(0, count).mapToObj(number -> row(new Counted(kind, number))).toList();
  }

  private static String row(Counted result) {
    return "%d,every, \"one\",%s,%s,%d"
        .formatted(
            result.timeNs(), result.first(), result.second().replace('\n', '|'), result.number());
  }
}
