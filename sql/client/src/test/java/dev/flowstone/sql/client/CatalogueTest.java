// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.harness.DemoAddresses;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CatalogueTest {
  private static final Path ROOT = Path.of("../..");
  private static final Catalogue OURS = new Catalogue(ROOT.resolve("flink-conf/sql"), ROOT);
  private static final Pattern COLUMN =
      Pattern.compile("^  `?(\\w+)`? (STRING|INT|BIGINT|DOUBLE|ARRAY)", Pattern.MULTILINE);

  /** What it is of, and what it is called if that is another name. */
  private static final Pattern COLUMN_OF_VIEW =
      Pattern.compile("(?:CAST\\((\\w+) AS INT\\)|`([^`]+)`|(\\w+))(?: AS (\\w+))?(?:,|$)");

  /** By the kind of results that it shows. */
  private static final Map<String, String> VIEWS =
      Map.of(
          "flow_record", "flows",
          "histogram", "histograms",
          "alert", "alerts",
          "syn_window", "syn_windows",
          "stage", "stages");

  private final TablePlaces places = new TablePlaces();
  private final TableLogins logins = new TableLogins();

  @TempDir private Path folder;

  private List<String> statements() throws Exception {
    return statements(OURS);
  }

  private List<String> statements(Catalogue catalogue) throws Exception {
    Map<String, String> words = new HashMap<>(places.words(Optional.empty()));
    words.putAll(logins.words());
    return catalogue.statements(words, logins.kafkaOptions());
  }

  private String table(String name) throws Exception {
    return statement("CREATE TABLE " + name + " ");
  }

  private String statement(String words) throws Exception {
    return statements().stream().filter(each -> each.contains(words)).findFirst().orElseThrow();
  }

  /** What it is of, by the names of its columns. */
  private Map<String, String> view(String name) throws Exception {
    String begin = "CREATE VIEW " + name + " AS SELECT";
    String statement = statement(begin);
    String columns = statement.substring(statement.indexOf(begin) + begin.length()).strip();
    return COLUMN_OF_VIEW
        .matcher(columns.substring(0, columns.indexOf("\nFROM ")))
        .results()
        .collect(
            Collectors.toMap(
                column -> named(column, 4, 3, 2, 1), column -> named(column, 3, 2, 1)));
  }

  private static String named(MatchResult column, int... groups) {
    return IntStream.of(groups)
        .mapToObj(column::group)
        .filter(Objects::nonNull)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void shouldPutPlacesInAsLiterals() throws Exception {
    places.rings = List.of(Path.of("/dev/shm/o'brien"), Path.of("/dev/shm/b/../c"));
    places.bootstrapServers = Optional.of("a:9092,b:9092");
    assertThat(statements()).noneMatch(each -> each.contains("${"));
    assertThat(table("packets")).contains("'rings' = '/dev/shm/o''brien;/dev/shm/c'");
    assertThat(table("results"))
        .contains("'properties.bootstrap.servers' = 'a:9092,b:9092'")
        .contains("'topic' = 'results'");
    places.rings = List.of(Path.of("/dev/shm/a;b"));
    assertThatThrownBy(() -> statements()).hasMessageContaining("semicolon");
  }

  @Test
  void shouldFindTheDemosPlacesUnlessOthersAreNamed() {
    DemoAddresses demo =
        new DemoAddresses(
            1, "http://localhost:1", "localhost:2", "p", "r", null, "localhost:4", "/dev/shm/d");
    places.bootstrapServers = Optional.of("other:9092");
    assertThat(places.words(Optional.of(demo)))
        .containsEntry("rings", "/dev/shm/d")
        .containsEntry("bootstrap_servers", "other:9092")
        .containsEntry("topic", "p")
        .containsEntry("samples_topic", "p")
        .containsEntry("results_topic", "r")
        .containsEntry("questdb", "jdbc:postgresql://localhost:4/qdb");
    assertThat(places.words(Optional.empty()))
        .containsEntry("rings", "/dev/shm/flowstone")
        .containsEntry("samples_topic", "samples")
        .containsEntry("questdb", "jdbc:postgresql://localhost:8812/qdb");
  }

  @Test
  void shouldLogInAsQuestDbAndKafkaWant() throws Exception {
    assertThat(table("questdb.alert")).contains("'username' = 'admin', 'password' = 'quest'");
    logins.questDbUser = Optional.of("o'brien");
    logins.questDbPasswordFile = Optional.of(file("$1'${topic}\nno part of it\n"));
    logins.kafkaFile =
        Optional.of(
            file("security.protocol=SASL_SSL\nsasl.jaas.config=Module required user='a';\n"));
    assertThat(statements().stream().filter(each -> each.contains("'connector' = 'jdbc'")))
        .hasSize(VIEWS.size())
        .allMatch(each -> each.contains("'username' = 'o''brien', 'password' = '$1''${topic}'"));
    for (String name : List.of("packet_batches", "results")) {
      assertThat(table(name))
          .contains("'properties.security.protocol' = 'SASL_SSL',")
          .contains("'properties.sasl.jaas.config' = 'Module required user=''a'';',");
    }
  }

  @Test
  void shouldRefuseLoginsThatAreNone() throws Exception {
    logins.questDbUser = Optional.of("somebody");
    assertThatThrownBy(logins::words).hasMessageContaining("belong together");
    logins.questDbPasswordFile = Optional.of(folder.resolve("none"));
    assertThatThrownBy(logins::words)
        .hasMessageContaining("--questdb-sql-password-file: cannot read")
        .hasMessageEndingWith(": no such file or folder");
    logins.kafkaFile = Optional.of(folder.resolve("none"));
    assertThatThrownBy(logins::kafkaOptions)
        .hasMessageContaining("--kafka-properties: cannot read")
        .hasMessageEndingWith(": no such file or folder");
    logins.kafkaFile = Optional.of(file("isolation.level=read_uncommitted\n"));
    assertThatThrownBy(logins::kafkaOptions).hasMessageContaining("isolation.level cannot be set");
    logins.kafkaFile = Optional.of(file("bootstrap.servers=localhost:9092\n"));
    assertThatThrownBy(logins::kafkaOptions).hasMessageEndingWith("use --bootstrap-servers");
  }

  /** Statements end where scripts end them, and no message has what an option says. */
  @Test
  void shouldKeepLoginsWhole() throws Exception {
    int known = statements().size();
    logins.questDbUser = Optional.of("somebody");
    logins.questDbPasswordFile = Optional.of(file("hidden"));
    logins.kafkaFile = Optional.of(file("sasl.jaas.config=One hidden;\\nOther hidden;\\n\n"));
    assertThat(statements())
        .hasSize(known)
        .anyMatch(each -> each.contains("'One hidden;\nOther hidden;\n',"))
        .allSatisfy(each -> assertThat(SqlSession.withoutOptions(each)).doesNotContain("hidden"));
    assertThat(SqlSession.withoutOptions(table("packets"))).contains("CREATE TABLE packets (");
  }

  @Test
  void shouldCountByAllColumnsButThoseInWhichPacketsHardlyAgree() throws Exception {
    Set<String> counted = columnsOf("packets");
    counted.removeAll(
        Set.of("time_ns", "tcp_sequence", "tcp_acknowledgement", "ring", "ring_stream"));
    counted.remove("ring_position");
    counted.addAll(Set.of("packets", "octets"));
    assertThat(columnsOf("packet_counts")).isEqualTo(counted).contains("rst", "payload_length");
  }

  private Set<String> columnsOf(String table) throws Exception {
    return Pattern.compile("^  (\\w+) [A-Z]+[ (,]", Pattern.MULTILINE)
        .matcher(table(table))
        .results()
        .map(column -> column.group(1))
        .filter(name -> !name.equals("WATERMARK"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private Path file(String words) throws Exception {
    return Files.writeString(Files.createTempFile(folder, "login", ""), words);
  }

  @Test
  void shouldEndWithWhatIsThereWhenAskedTo() throws Exception {
    assertThat(table("packets")).contains("'start' = 'latest'", "'end' = 'never'");
    assertThat(table("results")).contains("'scan.bounded.mode' = 'unbounded'");
    places.soFar = true;
    assertThat(table("packets")).contains("'start' = 'oldest'", "'end' = 'latest'");
    assertThat(table("packet_counts")).contains("'start' = 'oldest'", "'end' = 'latest'");
    assertThat(table("packet_batches")).contains("'scan.bounded.mode' = 'latest-offset'");
    assertThat(table("results")).contains("'scan.bounded.mode' = 'latest-offset'");
    assertThat(statements()).contains("SET 'execution.runtime-mode' = 'batch'");
  }

  @Test
  void shouldRefuseAWordThatNothingIsKnownOf() throws Exception {
    Files.writeString(folder.resolve("1.sql"), "CREATE TABLE x WITH ('y' = '${nothing}');\n");
    assertThatThrownBy(() -> statements(new Catalogue(folder, folder)))
        .hasMessageContaining("${nothing}");
  }

  /** What a schema's kind has, the table of results and the kind's view have. */
  @Test
  void shouldHaveEveryFieldOfResults() throws Exception {
    JsonNode kinds =
        new ObjectMapper()
            .readTree(ROOT.resolve("docs/formats/results.schema.json").toFile())
            .get("$defs");
    Set<String> columns =
        COLUMN.matcher(table("results")).results().map(m -> m.group(1)).collect(Collectors.toSet());
    for (String kind : VIEWS.keySet()) {
      Set<String> fields = new TreeSet<>();
      kinds.get(kind).get("properties").fieldNames().forEachRemaining(fields::add);
      assertThat(columns).as(kind).containsAll(fields);
      fields.remove("kind");
      assertThat(view(VIEWS.get(kind)).values()).as(kind).containsAll(fields);
    }
  }

  /** Of stages, whose schema leaves open what they count, the table has it. */
  @Test
  void shouldShowEachCounterOfStages() throws Exception {
    String table = table("results");
    assertThat(view("stages").values())
        .containsAll(
            COLUMN
                .matcher(table.substring(table.indexOf("-- stage")))
                .results()
                .map(column -> column.group(1))
                .toList());
  }

  @Test
  void shouldHaveTheSameColumnsInQuestDb() throws Exception {
    for (String view : VIEWS.values()) {
      assertThat(view("questdb." + view).keySet()).as(view).containsAll(view(view).keySet());
    }
    assertThat(view("stages")).containsEntry("last_report", "last").hasSizeGreaterThan(20);
  }
}
