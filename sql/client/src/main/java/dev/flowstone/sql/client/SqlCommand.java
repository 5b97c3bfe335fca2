// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.client;

import dev.flowstone.commandline.CommandRunner;
import dev.flowstone.harness.DemoAddresses;
import dev.flowstone.harness.ScratchFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
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
  @Mixin private TablePlaces places;

  @Option(
      names = "--flink",
      paramLabel = "URL",
      description =
          "REST address of the Flink that runs the queries; without it, the demo that runs here, the"
              + " cluster that ./flowstone cluster runs here, or what FLINK_CONF_DIR says.")
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
    Optional<DemoAddresses> demo = flink.isPresent() ? Optional.empty() : DemoAddresses.find();
    demo.ifPresent(found -> System.err.println("asking the demo that runs here, " + found.flink()));
    Properties settings = settings(demo);
    Catalogue catalogue = Catalogue.find();
    try (ScratchFolder scratch = ScratchFolder.onDisk("sql");
        SqlSession session = new SqlSession(catalogue.connectors(), settings)) {
      session.requireFlink();
      for (String each : catalogue.statements(places.words(demo))) {
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
