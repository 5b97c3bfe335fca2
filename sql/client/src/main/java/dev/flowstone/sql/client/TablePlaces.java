// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.client;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;

/** Where the tables find what they have: words of the scripts in {@code flink-conf/sql}. */
final class TablePlaces {
  @Option(
      names = "--rings",
      paramLabel = "DIR",
      description =
          "Folder that a tap fills, on the hosts of Flink's TaskManagers. May be repeated; default"
              + " /dev/shm/flowstone.")
  List<Path> rings = List.of(Path.of("/dev/shm/flowstone"));

  @Option(
      names = "--bootstrap-servers",
      paramLabel = "HOST:PORT",
      description = "Kafka; default ${DEFAULT-VALUE}.")
  String bootstrapServers = "localhost:9092";

  @Option(
      names = "--topic",
      paramLabel = "TOPIC",
      description = "Topic of packet batches; default ${DEFAULT-VALUE}.")
  String topic = "packets";

  @Option(
      names = "--samples-topic",
      paramLabel = "TOPIC",
      description = "Topic of sampled packets; default ${DEFAULT-VALUE}.")
  String samplesTopic = "samples";

  @Option(
      names = "--results-topic",
      paramLabel = "TOPIC",
      description = "Topic of results; default ${DEFAULT-VALUE}.")
  String resultsTopic = "results";

  @Option(
      names = "--questdb-sql",
      paramLabel = "HOST:PORT",
      description = "Where QuestDB speaks PostgreSQL's language; default ${DEFAULT-VALUE}.")
  String questDb = "localhost:8812";

  /** By the names that scripts have for them. */
  Map<String, String> words() {
    return Map.of(
        "rings",
        rings.stream().map(TablePlaces::absolute).collect(Collectors.joining(";")),
        "bootstrap_servers",
        bootstrapServers,
        "topic",
        topic,
        "samples_topic",
        samplesTopic,
        "results_topic",
        resultsTopic,
        "questdb",
        "jdbc:postgresql://" + questDb + "/qdb");
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
