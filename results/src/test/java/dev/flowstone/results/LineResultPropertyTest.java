// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.results;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.questdb.process.QuestDbProcess;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** What is written comes out of a real QuestDB as it was. */
class LineResultPropertyTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long MOST_NS = 4_000_000_000_000_000_000L;

  private static Path folder;
  private static QuestDbProcess questDb;
  private static HttpClient client;
  private static int tries;

  record Written(
      String kind, RuleTag rule, String key, String text, long number, double real, long timeNs)
      implements Result {
    Written in(String table) {
      return new Written(table, rule, key, text, number, real, timeNs);
    }

    @Override
    public void describe(ResultFields fields) {
      fields.key("key", key);
      fields.text("text", text);
      fields.number("number", number);
      fields.number("real", real);
      fields.list("list", List.of(text), (item, to) -> to.text("item", item));
    }
  }

  @BeforeContainer
  static void startQuestDb() throws Exception {
    folder = Files.createTempDirectory("line-results-");
    questDb = QuestDbProcess.start(folder, QuestDbProcess.ANY_PORT);
    client = HttpClient.newHttpClient();
  }

  @AfterContainer
  static void stopQuestDb() throws Exception {
    client.close();
    questDb.close();
    try (var files = Files.walk(folder)) {
      for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.delete(file);
      }
    }
  }

  @Property(tries = 10)
  void shouldReadBackWhatWasWritten(@ForAll("results") List<Written> results) throws Exception {
    String table = "written_" + tries++;
    ask(
        "CREATE TABLE %s (time TIMESTAMP_NS) TIMESTAMP(time) PARTITION BY YEAR WAL"
            .formatted(table));
    StringBuilder lines = new StringBuilder();
    results.forEach(result -> lines.append(LineResult.of(result.in(table), "test").line()));
    HttpResponse<String> answer =
        send(
            HttpRequest.newBuilder(questDb.address().resolve("/write?precision=n"))
                .POST(BodyPublishers.ofString(lines.toString())));
    assertThat(answer.statusCode()).as("%s for %s", answer.body(), lines).isEqualTo(204);
    assertThat(readBack(table, results.size()))
        .containsExactlyInAnyOrderElementsOf(
            results.stream().map(LineResultPropertyTest::expected).toList());
  }

  private static List<Object> expected(Written written) {
    return Arrays.asList(
        written.timeNs,
        written.rule.name(),
        written.key,
        written.text,
        written.number,
        Double.isFinite(written.real) ? written.real : null,
        JsonResult.ofList(List.of(written.text), (item, to) -> to.text("item", item)));
  }

  /** Rows are there some time after QuestDB took the lines. */
  private static List<List<Object>> readBack(String table, int count) throws Exception {
    long deadlineNs = System.nanoTime() + PATIENCE.toNanos();
    JsonNode rows = rows(table);
    while (rows.size() < count && System.nanoTime() - deadlineNs < 0) {
      Thread.sleep(20);
      rows = rows(table);
    }
    List<List<Object>> read = new ArrayList<>();
    for (JsonNode row : rows) {
      read.add(
          Arrays.asList(
              row.get(0).longValue(),
              row.get(1).textValue(),
              row.get(2).textValue(),
              row.get(3).textValue(),
              row.get(4).longValue(),
              row.get(5).isNull() ? null : row.get(5).doubleValue(),
              row.get(6).textValue()));
    }
    return read;
  }

  /** None: columns, too, are there some time after. */
  private static JsonNode rows(String table) throws Exception {
    return ask("SELECT time::long, rule, key, text, number, real, list FROM " + table)
        .path("dataset");
  }

  private static JsonNode ask(String sql) throws Exception {
    String query = URLEncoder.encode(sql, StandardCharsets.UTF_8);
    HttpRequest.Builder question =
        HttpRequest.newBuilder(questDb.address().resolve("/exec?query=" + query));
    return new ObjectMapper().readTree(send(question).body());
  }

  private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return client.send(request.build(), BodyHandlers.ofString());
  }

  @Provide
  Arbitrary<List<Written>> results() {
    // What the protocol gives a meaning comes often; QuestDB's symbols take no NUL.
    Arbitrary<Character> characters =
        Arbitraries.frequencyOf(
            Tuple.of(3, Arbitraries.of(' ', ',', '=', '\\', '"', '\n', '\r', '\t')),
            Tuple.of(3, Arbitraries.chars().range('a', 'z')),
            Tuple.of(1, Arbitraries.chars().range('\u0001', '\ud7ff')));
    Arbitrary<String> texts = characters.list().ofMaxSize(12).map(LineResultPropertyTest::join);
    Arbitrary<Written> result =
        Combinators.combine(
                texts,
                texts,
                texts,
                // The least long is QuestDB's word for none.
                Arbitraries.longs().between(-Long.MAX_VALUE, Long.MAX_VALUE),
                Arbitraries.doubles(),
                Arbitraries.longs().between(0, MOST_NS))
            .as(
                (rule, key, text, number, real, timeNs) ->
                    new Written("", RuleTag.of(rule), key, text, number, real, timeNs));
    return result.list().ofMinSize(1).ofMaxSize(50);
  }

  private static String join(List<Character> characters) {
    StringBuilder text = new StringBuilder();
    characters.forEach(text::append);
    return text.toString();
  }
}
