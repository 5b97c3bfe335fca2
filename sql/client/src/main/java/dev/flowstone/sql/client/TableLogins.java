// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.client;

import dev.flowstone.commandline.SecretFile;
import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import picocli.CommandLine.Option;

/** How the tables get in where not everybody is let in. */
final class TableLogins {
  private static final String PASSWORD_FILE = "--questdb-sql-password-file";

  /** What the scripts say themselves. */
  private static final Map<String, String> OF_TABLES =
      Map.of(
          "bootstrap.servers", "use --bootstrap-servers",
          "isolation.level", "tables have committed messages alone");

  @Option(
      names = "--kafka-properties",
      paramLabel = "FILE",
      description = "Properties of Kafka's clients, as for TLS or SASL.")
  Optional<Path> kafkaFile = Optional.empty();

  @Option(
      names = "--questdb-sql-user",
      paramLabel = "NAME",
      description = "QuestDB's pg.user; asks for " + PASSWORD_FILE + ". Default admin.")
  Optional<String> questDbUser = Optional.empty();

  @Option(
      names = PASSWORD_FILE,
      paramLabel = "FILE",
      description = "QuestDB's pg.password is the first line.")
  Optional<Path> questDbPasswordFile = Optional.empty();

  /** By the names that scripts have for them: who names none has what QuestDB has at first. */
  Map<String, String> words() throws IOException {
    if (questDbUser.isPresent() != questDbPasswordFile.isPresent()) {
      throw new IllegalArgumentException(
          "--questdb-sql-user and " + PASSWORD_FILE + " belong together");
    }
    return Map.of(
        "questdb_user",
        questDbUser.orElse("admin"),
        "questdb_password",
        questDbPasswordFile.isPresent()
            ? SecretFile.firstLine(PASSWORD_FILE, questDbPasswordFile.get())
            : "quest");
  }

  /** Options of all tables of Kafka's, by their keys. */
  Map<String, String> kafkaOptions() {
    Properties properties = new Properties();
    kafkaFile.ifPresent(file -> read(file, properties));
    Map<String, String> options = new TreeMap<>();
    for (String name : properties.stringPropertyNames()) {
      if (OF_TABLES.containsKey(name)) {
        throw new IllegalArgumentException(
            "%s: %s cannot be set there; %s".formatted(kafkaFile.get(), name, OF_TABLES.get(name)));
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
          "--kafka-properties: cannot read " + file + ": " + Reason.of(e), e);
    }
  }
}
