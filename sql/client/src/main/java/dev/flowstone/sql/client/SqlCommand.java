// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.client;

import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.harness.DemoAddresses;
import dev.flowstone.harness.ScratchFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.Callable;
import org.apache.flink.configuration.RestOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code ./flowstone sql}: Flink's own SQL client, to which tables of telemetry are known. */
@Command(
    name = "sql",
    mixinStandardHelpOptions = true,
    description = "Opens Flink's SQL client with tables of live packets, messages and results.",
    footer = {
      "",
      "Example:",
      "  ./flowstone sql --rings /dev/shm/flowstone --bootstrap-servers kafka:9092",
      "  ./flowstone sql -e \"SELECT source_address, COUNT(*) FROM packets",
      "      GROUP BY source_address\""
    })
public final class SqlCommand implements Callable<Integer> {
  /** Said by the launcher, which names a configuration itself where nobody else did. */
  private static final String IS_CONFIGURATION_GIVEN = "flowstone.configuration.given";

  @Mixin private TablePlaces places;
  @Mixin private TableLogins logins;

  @Option(
      names = "--flink",
      paramLabel = "URL",
      description =
          "REST address of the Flink that runs the queries; without it, that of FLINK_CONF_DIR if that"
              + " is set, else the demo that runs here, else the cluster that ./flowstone cluster runs"
              + " here.")
  private Optional<String> flink = Optional.empty();

  @Option(
      names = {"-f", "--file"},
      paramLabel = "SCRIPT",
      description = "Runs these statements and ends.")
  private Optional<Path> file = Optional.empty();

  @Option(
      names = {"-e", "--execute"},
      paramLabel = "STATEMENT",
      description = "Runs this statement and ends.")
  private Optional<String> statement = Optional.empty();

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "A setting of Flink's for the session. May be repeated.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Override
  public Integer call() throws Exception {
    if (file.isPresent() && statement.isPresent()) {
      throw new IllegalArgumentException("--file and --execute: one of them, please");
    }
    Optional<DemoAddresses> demo = flink.isPresent() ? Optional.empty() : demo();
    Properties settings = settings(demo);
    Catalogue catalogue = Catalogue.find();
    Map<String, String> words = new HashMap<>(places.words(demo));
    words.putAll(logins.words());
    List<String> statements = catalogue.statements(words, logins.kafkaOptions());
    try (ScratchFolder scratch = ScratchFolder.onDisk("sql");
        SqlSession session = new SqlSession(catalogue.connectors(), settings)) {
      session.requireFlink();
      for (String each : statements) {
        session.begin(each);
      }
      Optional<Path> script = script(scratch.path());
      if (script.isPresent()) {
        return session.run(script.get(), history()) ? 0 : 1;
      }
      session.talk(history());
      return 0;
    }
  }

  /** Unless another Flink was named. */
  private static Optional<DemoAddresses> demo() throws IOException {
    Optional<DemoAddresses> running = DemoAddresses.find();
    if (running.isPresent() && Boolean.getBoolean(IS_CONFIGURATION_GIVEN)) {
      System.err.println("asking the Flink of FLINK_CONF_DIR, not the demo that runs here");
      return Optional.empty();
    }
    running.ifPresent(
        found -> System.err.println("asking the demo that runs here, " + found.flink()));
    return running;
  }

  private Optional<Path> script(Path scratch) throws IOException {
    return statement.isEmpty()
        ? file
        : Optional.of(Files.writeString(scratch.resolve("statement.sql"), statement.get() + ";\n"));
  }

  private static Path history() {
    String state = System.getenv("FLOWSTONE_STATE");
    return Path.of(state == null ? System.getProperty("user.home") : state, "sql-history");
  }

  private Properties settings(Optional<DemoAddresses> demo) {
    Properties all = new Properties();
    if (file.isPresent() || statement.isPresent()) {
      all.setProperty("sql-client.execution.result-mode", "tableau");
    }
    flink
        .or(() -> demo.map(DemoAddresses::flink))
        .map(FlinkAddress::of)
        .ifPresent(
            address -> {
              all.setProperty(RestOptions.ADDRESS.key(), address.host());
              all.setProperty(RestOptions.PORT.key(), Integer.toString(address.port()));
            });
    all.putAll(settings);
    return all;
  }

  public static void main(String[] arguments) {
    System.exit(CommandRunner.run(new SqlCommand(), arguments));
  }
}
