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
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What SIGKILL may leave of a table in QuestDB's folder, put together from the files before and
 * after: the moment between them is short, one kill in fifty hit it. All damaged tables are in one
 * folder, which one QuestDB serves.
 */
@Timeout(180)
class KilledQuestDbITCase {
  private static final long COUNT = 10;

  /** A table with rows, whose counts are deleted. */
  private static final String KEPT = "kept";

  /** A table that was killed while a column came. */
  private static final String WIDENED = "widened";

  private static final String NARROW_LINE =
      WIDENED + ",rule=r result_key=\"k\" 1700000000000000000\n";
  private static final String WIDE_LINE =
      WIDENED + ",rule=r,stream=s result_key=\"k\" 1700000000000000000\n";

  /** By then all tables are made. */
  private static final int MOST_MS_BEFORE_KILL = 1_500;

  private static final Duration PATIENCE = Duration.ofSeconds(90);

  /** Which number the next table has. */
  private static final String NUMBERS = "db/_tab_index.d";

  @TempDir private static Path shared;
  private static Path damaged;
  private static QuestDbProcess questDb;

  /** Of the tests that begin with an empty folder. */
  @TempDir private Path folder;

  /** What there is of a table's counts when QuestDB is killed while it makes them, in its order. */
  enum HalfMade {
    NOTHING,
    BEGUN_COLUMNS,
    BEGUN_COUNTS;

    String kind() {
      return name().toLowerCase(Locale.ROOT);
    }

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

  @BeforeAll
  static void startOnDamagedTables() throws Exception {
    damaged = shared.resolve("damaged");
    Path after = shared.resolve("after");
    whileItRuns(damaged, KilledQuestDbITCase::makeWholeTables);
    copy(damaged, after);
    whileItRuns(after, KilledQuestDbITCase::makeFurther);
    for (HalfMade how : HalfMade.values()) {
      Path table = table(after, how.kind());
      Path halfMade = damaged.resolve("db").resolve(table.getFileName().toString());
      copy(table, halfMade);
      how.cut(halfMade);
    }
    copy(after.resolve(NUMBERS), damaged.resolve(NUMBERS));
    deleteCounts(table(damaged, KEPT));
    for (String file : List.of("_meta", "_txnlog.meta.i", "_txnlog.meta.d")) {
      Files.copy(
          table(after, WIDENED).resolve("txn_seq").resolve(file),
          table(damaged, WIDENED).resolve("txn_seq").resolve(file),
          StandardCopyOption.REPLACE_EXISTING);
    }
    questDb = QuestDbProcess.start(damaged, QuestDbProcess.ANY_PORT);
  }

  private static void makeWholeTables(URI address, QuestDb client) throws Exception {
    QuestDbStore store = new QuestDbStore(client, new DeadLetterLog());
    store.write(results(KEPT));
    assertThat(Rows.read(address, KEPT, COUNT)).hasSize((int) COUNT);
    store.write(chunk(WIDENED, NARROW_LINE));
    awaitRows(client, WIDENED, 1);
  }

  private static void makeFurther(URI address, QuestDb client) throws Exception {
    for (HalfMade how : HalfMade.values()) {
      new ResultTable(how.kind()).ensure(client, results(how.kind()));
    }
    client.write(WIDE_LINE.getBytes(UTF_8));
  }

  @AfterAll
  static void stop() {
    if (questDb != null) {
      questDb.close();
    }
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
    QuestDbProcess running = QuestDbProcess.start(directory, QuestDbProcess.ANY_PORT);
    try (QuestDb client = new QuestDb(running.address(), "")) {
      asked.with(running.address(), client);
      running.kill();
    } finally {
      running.close();
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

  private static Path table(Path directory, String kind) throws IOException {
    try (Stream<Path> tables = Files.list(directory.resolve("db"))) {
      return tables
          .filter(path -> path.getFileName().toString().startsWith(kind + "~"))
          .filter(Files::isDirectory)
          .findFirst()
          .orElseThrow();
    }
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
    URI address = questDb.address();
    try (ExecutorService threads = Executors.newFixedThreadPool(senders)) {
      List<Future<Integer>> refused = new ArrayList<>();
      for (int sender = 0; sender < senders; sender++) {
        refused.add(threads.submit(() -> writeAtLast(address, List.of(how.kind()), inVain)));
      }
      for (Future<Integer> each : refused) {
        assertThat(each.get()).isZero();
      }
    }
    assertThat(inVain).hasPositiveValue();
    assertThat(Rows.read(address, how.kind(), COUNT)).isEqualTo(Rows.expected(how.kind(), COUNT));
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
    try (QuestDb client = new QuestDb(questDb.address(), "")) {
      QuestDbStore store = new QuestDbStore(client, new DeadLetterLog());
      for (int time = 0; time < 2; time++) {
        assertThatThrownBy(() -> store.write(results(KEPT))).isInstanceOf(TableAwayException.class);
      }
      assertThat(client.ask("SELECT number FROM " + KEPT)).hasSize((int) COUNT);
    }
  }

  /** Such a table can be read and takes nothing until its owner mends it as the documents say. */
  @Test
  void shouldLeaveATableAloneThatWasKilledWhileAColumnCame() throws Exception {
    try (QuestDb client = new QuestDb(questDb.address(), "")) {
      QuestDbStore store = new QuestDbStore(client, new DeadLetterLog());
      for (int time = 0; time < 2; time++) {
        assertThatThrownBy(() -> store.write(results(WIDENED)))
            .isInstanceOf(TableAwayException.class)
            .hasMessageContaining("status 500 (docs/troubleshooting.md")
            .hasMessageContaining("possible corruption in transaction metadata");
      }
      assertThat(store.write(chunk("other", WIDE_LINE.replace(WIDENED, "other")))).isZero();
      awaitRows(client, WIDENED, 1);
      client.execute("ALTER TABLE %s SET TYPE BYPASS WAL".formatted(WIDENED));
    }
    restart();
    try (QuestDb client = new QuestDb(questDb.address(), "")) {
      client.execute("ALTER TABLE %s SET TYPE WAL".formatted(WIDENED));
    }
    restart();
    try (QuestDb client = new QuestDb(questDb.address(), "")) {
      QuestDbStore store = new QuestDbStore(client, new DeadLetterLog());
      for (int time = 0; time < 2; time++) {
        assertThat(store.write(results(WIDENED))).isZero();
        assertThat(store.write(chunk(WIDENED, NARROW_LINE))).isZero();
      }
      awaitRows(client, WIDENED, COUNT + 1);
    }
  }

  private static void restart() throws Exception {
    questDb.kill();
    questDb.close();
    questDb = QuestDbProcess.start(damaged, QuestDbProcess.ANY_PORT);
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
  private static void awaitRows(QuestDb client, String kind, long count) throws Exception {
    String waiting =
        "SELECT name FROM wal_tables() WHERE name = '%s' AND writerTxn < sequencerTxn"
            .formatted(kind);
    long deadlineNs = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!client.ask(waiting).isEmpty()) {
      assertThat(System.nanoTime()).isLessThan(deadlineNs);
      Thread.sleep(50);
    }
    assertThat(client.ask("SELECT time FROM " + kind)).hasSize((int) count);
  }
}
