// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.client;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import picocli.CommandLine.Option;

/** How the tables get in where not everybody is let in. */
final class TableLogins {
  /** What the scripts say themselves. */
  private static final Set<String> OF_TABLES = Set.of("bootstrap.servers", "isolation.level");

  @Option(
      names = "--kafka-properties",
      paramLabel = "FILE",
      description = "Properties of Kafka's clients, as for TLS or SASL.")
  Optional<Path> kafkaFile = Optional.empty();

  @Option(
      names = "--questdb-sql-user",
      paramLabel = "NAME",
      description = "QuestDB's pg.user; asks for --questdb-sql-password-file. Default admin.")
  Optional<String> questDbUser = Optional.empty();

  @Option(
      names = "--questdb-sql-password-file",
      paramLabel = "FILE",
      description = "QuestDB's pg.password is the first line.")
  Optional<Path> questDbPasswordFile = Optional.empty();

  /** By the names that scripts have for them: who names none has what QuestDB has at first. */
  Map<String, String> words() {
    if (questDbUser.isPresent() != questDbPasswordFile.isPresent()) {
      throw new IllegalArgumentException(
          "--questdb-sql-user and --questdb-sql-password-file belong together");
    }
    return Map.of(
        "questdb_user", questDbUser.orElse("admin"),
        "questdb_password", questDbPasswordFile.map(TableLogins::firstLine).orElse("quest"));
  }

  private static String firstLine(Path file) {
    try {
      return Files.readString(file).lines().findFirst().orElse("").strip();
    } catch (IOException e) {
      throw new IllegalArgumentException("--questdb-sql-password-file: cannot read " + file, e);
    }
  }

  /** Options of all tables of Kafka's, by their keys. */
  Map<String, String> kafkaOptions() {
    Properties properties = new Properties();
    kafkaFile.ifPresent(file -> read(file, properties));
    Map<String, String> options = new TreeMap<>();
    for (String name : properties.stringPropertyNames()) {
      if (OF_TABLES.contains(name)) {
        throw new IllegalArgumentException(
            "%s: %s cannot be set there; the tables say it".formatted(kafkaFile.get(), name));
      }
      options.put("properties." + name, properties.getProperty(name));
    }
    return options;
  }

  private static void read(Path file, Properties properties) {
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "--kafka-properties: cannot read " + file + ": " + e.getMessage(), e);
    }
  }
}
