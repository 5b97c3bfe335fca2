// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.questdb.process.QuestDbProcess;
import dev.flowstone.results.LineResult;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What SIGKILL may leave of a table in QuestDB's folder, put together from the files before and
 * after: the moment between them is short, one kill in fifty hit it.
 */
@Timeout(180)
class KilledQuestDbITCase {
  private static final String KIND = "counted";
  private static final long COUNT = 10;

  /** By then all tables are made. */
  private static final int MOST_MS_BEFORE_KILL = 1_500;

  private static final Duration PATIENCE = Duration.ofSeconds(90);

  /** Which number the next table has. */
  private static final String NUMBERS = "db/_tab_index.d";

  @TempDir private Path folder;

  private static LineChunk results() {
    return results(KIND);
  }

  private static LineChunk results(String kind) {
    StringBuilder lines = new StringBuilder();
    for (long number = 0; number < COUNT; number++) {
      lines.append(LineResult.of(new Counted(kind, number), "test").line());
    }
    return chunk(kind, lines.toString());
  }

  private interface Asked {
    void with(URI address, QuestDb client) throws Exception;
  }

  private static void whileItRuns(Path directory, Asked asked) throws Exception {
    QuestDbProcess questDb = QuestDbProcess.start(directory, QuestDbProcess.ANY_PORT);
    try (QuestDb client = new QuestDb(questDb.address(), "")) {
      asked.with(questDb.address(), client);
      questDb.kill();
    } finally {
      questDb.close();
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> paths = Files.walk(from)) {
      for (Path path : paths.toList()) {
        Path target = to.resolve(from.relativize(path).toString());
        if (Files.isDirectory(path)) {
          Files.createDirectories(target);
        } else {
          Files.copy(path, target, StandardCopyOption.REPLACE_EXISTING);
        }
      }
    }
  }

  private static Path table(Path directory) throws IOException {
    try (Stream<Path> tables = Files.list(directory.resolve("db"))) {
      return tables
          .filter(path -> path.getFileName().toString().startsWith(KIND + "~"))
          .filter(Files::isDirectory)
          .findFirst()
          .orElseThrow();
    }
  }

  /** What there is of a table's counts when QuestDB is killed while it makes them, in its order. */
  enum HalfMade {
    NOTHING,
    BEGUN_COLUMNS,
    BEGUN_COUNTS;

    void cut(Path table) throws IOException {
      Path counts = table.resolve("txn_seq");
      switch (this) {
        case NOTHING -> deleteCounts(table);
        case BEGUN_COLUMNS -> {
          deleteCounts(table);
          Files.createFile(Files.createDirectory(counts).resolve("_meta"));
        }
        case BEGUN_COUNTS -> {
          for (String file : List.of("_txnlog", "_txnlog.meta.i", "_txnlog.meta.d")) {
            Files.delete(counts.resolve(file));
          }
          Files.createFile(counts.resolve("_txnlog"));
        }
      }
    }
  }

  /** A folder in which the table was not made to its end. */
  private Path halfMade(HalfMade how) throws Exception {
    Path before = folder.resolve("before");
    Path after = folder.resolve("after");
    whileItRuns(before, (_, _) -> {});
    copy(before, after);
    whileItRuns(after, (_, client) -> new ResultTable(KIND).ensure(client, results()));
    Path halfMade = before.resolve("db").resolve(table(after).getFileName().toString());
    copy(table(after), halfMade);
    copy(after.resolve(NUMBERS), before.resolve(NUMBERS));
    how.cut(halfMade);
    return before;
  }

  private static void deleteCounts(Path table) throws IOException {
    try (Stream<Path> counts = Files.walk(table.resolve("txn_seq"))) {
      for (Path path : counts.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  /**
   * There is a table then which nothing can be written to, and nothing has been. Whoever comes
   * second must not take away what the first has made and written to.
   */
  @ParameterizedTest
  @EnumSource
  void shouldMakeATableAnewThatWasNotMadeToItsEnd(HalfMade how) throws Exception {
    int senders = 8;
    AtomicInteger inVain = new AtomicInteger();
    whileItRuns(
        halfMade(how),
        (address, _) -> {
          try (ExecutorService threads = Executors.newFixedThreadPool(senders)) {
            List<Future<Integer>> refused = new ArrayList<>();
            for (int sender = 0; sender < senders; sender++) {
              refused.add(threads.submit(() -> writeAtLast(address, List.of(KIND), inVain)));
            }
            for (Future<Integer> each : refused) {
              assertThat(each.get()).isZero();
            }
          }
          assertThat(inVain).hasPositiveValue();
          assertThat(Rows.read(address, KIND, COUNT)).isEqualTo(Rows.expected(KIND, COUNT));
        });
  }

  /** Returns how many lines were refused. */
  private static int writeAtLast(URI address, List<String> kinds, AtomicInteger inVain)
      throws Exception {
    int refused = 0;
    try (QuestDb client = new QuestDb(address, "")) {
      QuestDbStore store = new QuestDbStore(client, new DeadLetterLog());
      for (String kind : kinds) {
        refused += writeAtLast(store, results(kind), inVain);
      }
    }
    return refused;
  }

  private static int writeAtLast(QuestDbStore store, LineChunk chunk, AtomicInteger inVain)
      throws Exception {
    long deadlineNs = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      try {
        return store.write(chunk);
      } catch (StoreAwayException e) {
        inVain.incrementAndGet();
        if (System.nanoTime() - deadlineNs >= 0) {
          throw e;
        }
        Thread.sleep(5);
      }
    }
  }

  @Test
  void shouldNeverTakeAwayRows() throws Exception {
    whileItRuns(
        folder,
        (address, client) -> {
          new QuestDbStore(client, new DeadLetterLog()).write(results());
          assertThat(Rows.read(address, KIND, COUNT)).hasSize((int) COUNT);
        });
    deleteCounts(table(folder));
    whileItRuns(
        folder,
        (_, client) -> {
          QuestDbStore store = new QuestDbStore(client, new DeadLetterLog());
          for (int time = 0; time < 2; time++) {
            assertThatThrownBy(() -> store.write(results())).isInstanceOf(TableAwayException.class);
          }
          assertThat(client.ask("SELECT number FROM " + KIND)).hasSize((int) COUNT);
        });
  }

  /** Such a table can be read and takes nothing until its owner mends it as the documents say. */
  @Test
  void shouldLeaveATableAloneThatWasKilledWhileAColumnCame() throws Exception {
    Path before = folder.resolve("before");
    Path after = folder.resolve("after");
    String wide = KIND + ",rule=r,stream=s result_key=\"k\" 1700000000000000000\n";
    LineChunk narrow = chunk(KIND, KIND + ",rule=r result_key=\"k\" 1700000000000000000\n");
    whileItRuns(
        before,
        (_, client) -> {
          new QuestDbStore(client, new DeadLetterLog()).write(narrow);
          awaitRows(client, 1);
        });
    copy(before, after);
    whileItRuns(after, (_, client) -> client.write(wide.getBytes(UTF_8)));
    for (String file : List.of("_meta", "_txnlog.meta.i", "_txnlog.meta.d")) {
      Files.copy(
          table(after).resolve("txn_seq").resolve(file),
          table(before).resolve("txn_seq").resolve(file),
          StandardCopyOption.REPLACE_EXISTING);
    }
    whileItRuns(
        before,
        (_, client) -> {
          QuestDbStore store = new QuestDbStore(client, new DeadLetterLog());
          for (int time = 0; time < 2; time++) {
            assertThatThrownBy(() -> store.write(results()))
                .isInstanceOf(TableAwayException.class)
                .hasMessageContaining("status 500 (docs/troubleshooting.md")
                .hasMessageContaining("possible corruption in transaction metadata");
          }
          assertThat(store.write(chunk("other", wide.replace(KIND, "other")))).isZero();
          awaitRows(client, 1);
          client.execute("ALTER TABLE %s SET TYPE BYPASS WAL".formatted(KIND));
        });
    whileItRuns(
        before, (_, client) -> client.execute("ALTER TABLE %s SET TYPE WAL".formatted(KIND)));
    whileItRuns(
        before,
        (_, client) -> {
          QuestDbStore store = new QuestDbStore(client, new DeadLetterLog());
          for (int time = 0; time < 2; time++) {
            assertThat(store.write(results())).isZero();
            assertThat(store.write(narrow)).isZero();
          }
          awaitRows(client, COUNT + 1);
        });
  }

  /** Whenever it comes, also while all tables are made at once. */
  @RepeatedTest(20)
  @Tag("slow")
  void shouldHaveAllResultsHoweverItIsKilled() throws Exception {
    List<String> kinds = List.of("a", "b", "c", "d", "e", "f");
    int senders = 4;
    int killedMs = new Random().nextInt(MOST_MS_BEFORE_KILL);
    System.out.printf("KilledQuestDbITCase: killed after %d ms%n", killedMs);
    try (QuestDbProcess first = QuestDbProcess.start(folder, QuestDbProcess.ANY_PORT);
        ExecutorService threads = Executors.newFixedThreadPool(senders)) {
      URI address = first.address();
      List<Future<Integer>> refused = new ArrayList<>();
      for (int sender = 0; sender < senders; sender++) {
        refused.add(threads.submit(() -> writeAtLast(address, kinds, new AtomicInteger())));
      }
      Thread.sleep(killedMs);
      first.kill();
      try (QuestDbProcess second = QuestDbProcess.start(folder, first.port())) {
        for (Future<Integer> each : refused) {
          assertThat(each.get()).isZero();
        }
        for (String kind : kinds) {
          assertThat(Rows.read(second.address(), kind, COUNT))
              .as(kind)
              .isEqualTo(Rows.expected(kind, COUNT));
        }
      }
    }
  }

  private static LineChunk chunk(String kind, String lines) {
    return new LineChunk(kind, lines.getBytes(UTF_8));
  }

  /** No more either, once all that was written is in. */
  private static void awaitRows(QuestDb client, long count) throws Exception {
    String waiting =
        "SELECT name FROM wal_tables() WHERE name = '%s' AND writerTxn < sequencerTxn"
            .formatted(KIND);
    long deadlineNs = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!client.ask(waiting).isEmpty()) {
      assertThat(System.nanoTime()).isLessThan(deadlineNs);
      Thread.sleep(50);
    }
    assertThat(client.ask("SELECT time FROM " + KIND)).hasSize((int) count);
  }
}
