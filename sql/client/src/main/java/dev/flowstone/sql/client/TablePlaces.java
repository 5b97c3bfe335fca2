// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.client;

import dev.flowstone.harness.DemoAddresses;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/**
 * Where the tables find what they have, and up to when: words of the scripts in {@code
 * flink-conf/sql}.
 */
final class TablePlaces {
  private static final Path USUAL_RINGS = Path.of("/dev/shm/flowstone");
  private static final String USUAL_KAFKA = "localhost:9092";
  private static final String USUAL_TOPIC = "packets";
  private static final String USUAL_SAMPLES_TOPIC = "samples";
  private static final String USUAL_RESULTS_TOPIC = "results";
  private static final String USUAL_QUESTDB = "localhost:8812";
  private static final Map<String, String> FROM_NOW_ON =
      Map.of(
          "runtime_mode", "streaming",
          "restart_strategy", "failure-rate",
          "rings_start", "latest",
          "rings_end", "never",
          "kafka_end", "unbounded");
  private static final Map<String, String> SO_FAR =
      Map.of(
          "runtime_mode", "batch",
          "restart_strategy", "none",
          "rings_start", "oldest",
          "rings_end", "latest",
          "kafka_end", "latest-offset");
  private static final String OR_DEMO = "; default the demo's, else ";

  @Option(
      names = "--rings",
      paramLabel = "DIR",
      description =
          "Folder that a tap fills, on the hosts of Flink's TaskManagers. May be repeated"
              + OR_DEMO
              + "/dev/shm/flowstone.")
  List<Path> rings = List.of();

  @Option(
      names = "--bootstrap-servers",
      paramLabel = "HOST:PORT",
      description = "Kafka" + OR_DEMO + USUAL_KAFKA + ".")
  Optional<String> bootstrapServers = Optional.empty();

  @Option(
      names = "--topic",
      paramLabel = "TOPIC",
      description = "Topic of packet batches" + OR_DEMO + USUAL_TOPIC + ".")
  Optional<String> topic = Optional.empty();

  @Option(
      names = "--samples-topic",
      paramLabel = "TOPIC",
      description = "Topic of sampled packets; default the demo's packets, else samples.")
  Optional<String> samplesTopic = Optional.empty();

  @Option(
      names = "--results-topic",
      paramLabel = "TOPIC",
      description = "Topic of results" + OR_DEMO + USUAL_RESULTS_TOPIC + ".")
  Optional<String> resultsTopic = Optional.empty();

  @Option(
      names = "--questdb-sql",
      paramLabel = "HOST:PORT",
      description = "Where QuestDB speaks PostgreSQL's language" + OR_DEMO + USUAL_QUESTDB + ".")
  Optional<String> questDb = Optional.empty();

  @Option(
      names = "--so-far",
      description =
          "Tables have what is there now, and queries end: of Kafka up to the latest message; of rings"
              + " from the oldest packet to the latest.")
  boolean soFar;

  /**
   * By the names that scripts have for them.
   *
   * @param demo whose places are meant where none is named
   */
  Map<String, String> words(Optional<DemoAddresses> demo) {
    Map<String, String> words = new HashMap<>(soFar ? SO_FAR : FROM_NOW_ON);
    words.put(
        "rings", rings(demo).stream().map(TablePlaces::absolute).collect(Collectors.joining(";")));
    words.put(
        "bootstrap_servers", chosen(bootstrapServers, demo.map(DemoAddresses::kafka), USUAL_KAFKA));
    words.put("topic", chosen(topic, demo.map(DemoAddresses::topic), USUAL_TOPIC));
    words.put(
        "samples_topic", chosen(samplesTopic, demo.map(DemoAddresses::topic), USUAL_SAMPLES_TOPIC));
    words.put(
        "results_topic",
        chosen(resultsTopic, demo.map(DemoAddresses::resultsTopic), USUAL_RESULTS_TOPIC));
    String sql = chosen(questDb, demo.map(DemoAddresses::questdbSql), USUAL_QUESTDB);
    words.put("questdb", "jdbc:postgresql://" + sql + "/qdb");
    return words;
  }

  private List<Path> rings(Optional<DemoAddresses> demo) {
    return rings.isEmpty()
        ? List.of(demo.map(DemoAddresses::rings).map(Path::of).orElse(USUAL_RINGS))
        : rings;
  }

  private static String chosen(Optional<String> named, Optional<String> ofDemo, String usual) {
    return named.or(() -> ofDemo).orElse(usual);
  }

  /** In Flink's form of a list, where a semicolon stands between two. */
  private static String absolute(Path folder) {
    String path = folder.toAbsolutePath().normalize().toString();
    if (path.contains(";")) {
      throw new IllegalArgumentException(
          "--rings: a folder with a semicolon cannot be named: " + path);
    }
    return path;
  }
}
