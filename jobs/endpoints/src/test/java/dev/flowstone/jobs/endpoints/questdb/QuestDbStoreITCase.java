// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.questdb.process.QuestDbProcess;
import dev.flowstone.results.LineResult;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a real QuestDB takes and refuses. */
@Timeout(120)
class QuestDbStoreITCase {
  private static final long COUNT = 1_000;

  @TempDir private static Path folder;
  private static QuestDbProcess questDb;

  private QuestDb client;
  private QuestDbStore store;

  @BeforeAll
  static void startQuestDb() throws Exception {
    questDb = QuestDbProcess.start(folder, QuestDbProcess.ANY_PORT);
  }

  @AfterAll
  static void stopQuestDb() {
    questDb.close();
  }

  @BeforeEach
  void connect() {
    client = new QuestDb(questDb.address(), "");
    store = new QuestDbStore(client, new DeadLetterLog());
  }

  @AfterEach
  void disconnect() {
    store.close();
  }

  private static LineChunk chunk(String kind, LongFunction<String> line) {
    return new LineChunk(
        kind,
        LongStream.range(0, COUNT).mapToObj(line).collect(Collectors.joining()).getBytes(UTF_8));
  }

  private static LineChunk none(String kind) {
    return new LineChunk(kind, new byte[0]);
  }

  private static String good(String kind, long number) {
    return good(kind, number, "test");
  }

  private static String good(String kind, long number, String job) {
    return LineResult.of(new Counted(kind, number), job).line();
  }

  @Test
  void shouldLeaveOneRowOfEachResultHoweverOftenItIsSent() throws Exception {
    LineChunk chunk = chunk("again", number -> good("again", number));
    for (int time = 0; time < 3; time++) {
      assertThat(store.write(chunk)).isZero();
    }
    assertThat(Rows.read(questDb.address(), "again", COUNT))
        .isEqualTo(Rows.expected("again", COUNT));
  }

  @Test
  void shouldKeepWhatTwoJobsTellOfTheSame() throws Exception {
    for (String job : List.of("one", "other")) {
      assertThat(store.write(chunk("both", number -> good("both", number, job)))).isZero();
    }
    assertThat(Rows.read(questDb.address(), "both", 2 * COUNT))
        .hasSize((int) (2 * COUNT))
        .containsAll(Rows.expected("both", COUNT));
  }

  /** Before and after it stand lines whose texts have an end of line in them. */
  @Test
  void shouldLeaveOutTheLineThatIsRefused() throws Exception {
    LineChunk chunk =
        chunk(
            "some",
            number -> number == 500 ? "some,rule=r number=\"text\" 5\n" : good("some", number));
    assertThat(store.write(chunk("some", number -> good("some", number)))).isZero();
    assertThat(store.write(chunk)).isEqualTo(1);
    assertThat(Rows.read(questDb.address(), "some", COUNT)).isEqualTo(Rows.expected("some", COUNT));
  }

  @Test
  void shouldWriteWhatIsLeftOfManyThatAreRefused() throws Exception {
    LineChunk chunk =
        chunk("many", number -> number % 2 == 0 ? good("many", number) : "many,rule=r x=1i -5\n");
    assertThat(store.write(chunk)).isEqualTo(500);
    assertThat(Rows.read(questDb.address(), "many", COUNT / 2))
        .hasSize(500)
        .isSubsetOf(Rows.expected("many", COUNT));
  }

  @Test
  void shouldRefuseATableThatWouldHoldAResultTwice() throws Exception {
    client.execute(
        "CREATE TABLE other (time TIMESTAMP_NS, rule SYMBOL) TIMESTAMP(time) PARTITION BY DAY WAL");
    assertThatThrownBy(() -> new ResultTable("other").ensure(client, none("other")))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("table other is not one of this job's, and would hold a result twice")
        .hasMessageContaining("DEDUP UPSERT KEYS(time, rule, result_key)");
    assertThat(store.write(chunk("other", number -> good("other", number)))).isEqualTo((int) COUNT);
    // Of other kinds nothing is lost, and mended it takes results again.
    client.execute("RENAME TABLE other TO others");
    assertThat(store.write(chunk("other", number -> good("other", number)))).isZero();
    assertThat(Rows.read(questDb.address(), "other", COUNT))
        .isEqualTo(Rows.expected("other", COUNT));
  }

  /** Each sender of each job has a connection, and keeps it. */
  @Test
  void shouldAnswerHoweverManyAsk() throws Exception {
    List<QuestDb> clients = new ArrayList<>();
    try {
      for (int number = 0; number < 20; number++) {
        clients.add(new QuestDb(questDb.address(), ""));
        assertThat(clients.getLast().ask("SELECT 1, 'two', null")).containsExactly("1,two,");
      }
    } finally {
      clients.forEach(QuestDb::close);
    }
  }

  /** So that no column comes later, and no query fails before the first result that has it. */
  @ParameterizedTest
  @ValueSource(strings = {"alert", "flow_record", "histogram", "stage", "syn_window"})
  void shouldMakeTheTableOfAKindWithItsColumns(String kind) throws Exception {
    new ResultTable(kind).ensure(client, none(kind));
    List<String> columns =
        client.ask("SELECT \"column\", type FROM table_columns('%s')".formatted(kind));
    assertThat(columns.stream().skip(3).map(column -> column.replace(',', ' ')))
        .containsExactlyElementsOf(
            KnownColumns.of(kind).entrySet().stream()
                .map(column -> column.getKey() + " " + column.getValue())
                .toList());
    new ResultTable(kind).ensure(client, none(kind));
  }

  /** So it is with kinds of users' functions: what the first lines name is there before them. */
  @Test
  void shouldMakeTheTableOfAnyKindWithTheColumnsOfItsFirstLines() throws Exception {
    new ResultTable("first").ensure(client, chunk("first", number -> good("first", number)));
    List<String> columns = client.ask("SELECT \"column\", type FROM table_columns('first')");
    assertThat(columns.stream().skip(3).map(column -> column.replace(',', ' ')))
        .containsExactly("first SYMBOL", "job SYMBOL", "number LONG", "second SYMBOL");
  }

  /** Before any job has told a counter of its stages, or a value that few results have. */
  @ParameterizedTest
  @ValueSource(strings = {"alert", "flow_record", "histogram", "stage", "syn_window"})
  void shouldAnswerWhatTablesOfSqlAskOfATableWithoutRows(String kind) throws Exception {
    new ResultTable(kind).ensure(client, none(kind));
    String asked = String.join(", ", AskedColumns.of(kind));
    assertThat(client.ask("SELECT %s FROM %s".formatted(asked, kind))).isEmpty();
  }

  /** It may be another sender's, whose lines are rows in a moment. */
  @Test
  void shouldLeaveASoundTableWithoutRowsAlone() throws Exception {
    ResultTable table = new ResultTable("sound");
    table.ensure(client, none("sound"));
    String which = "SELECT id FROM tables() WHERE table_name = 'sound'";
    List<String> before = client.ask(which);
    assertThat(table.makeAnewIfHalfMade(client, none("sound"))).isFalse();
    assertThat(before).hasSize(1).isEqualTo(client.ask(which));
  }

  @Test
  void shouldMakeATableAnewThatSomebodyDropped() throws Exception {
    LineChunk chunk = chunk("dropped", number -> good("dropped", number));
    assertThat(store.write(chunk)).isZero();
    client.execute("DROP TABLE dropped");
    assertThat(store.write(chunk)).isZero();
    assertThat(store.write(chunk)).isZero();
    assertThat(Rows.read(questDb.address(), "dropped", COUNT))
        .isEqualTo(Rows.expected("dropped", COUNT));
  }
}
