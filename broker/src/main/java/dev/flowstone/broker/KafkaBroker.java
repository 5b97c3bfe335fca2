// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.broker;

import dev.flowstone.processes.LoopbackPorts;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Properties;
import java.util.concurrent.Callable;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.utils.Time;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Runs a Kafka broker on loopback until SIGTERM, and says {@code READY host:port} once it accepts
 * connections.
 *
 * <p>Exit codes: 0 after a signal, 1 when the broker cannot start, 2 for a wrong command line.
 */
@Command(
    name = "broker",
    description = "A Kafka broker for one machine: KRaft, loopback only.",
    mixinStandardHelpOptions = true)
public final class KafkaBroker implements Callable<Integer> {

  /**
   * Where {@code log4j2.xml} takes the log file's name from; set before the first logger exists.
   */
  private static final String LOG_FILE_PROPERTY = "flowstone.broker.log";

  @Option(
      names = "--dir",
      required = true,
      paramLabel = "DIR",
      description = "data and log folder; formatted when new")
  private Path directory;

  @Option(
      names = "--port",
      required = true,
      paramLabel = "N",
      description = "port for clients; 0 chooses a free one")
  private int port;

  @Option(
      names = "--log-retention-bytes",
      paramLabel = "N",
      description = "keep about this much of each partition (default: no limit)")
  private Long retentionBytes;

  @Option(
      names = "--properties",
      paramLabel = "FILE",
      description =
          "properties of Kafka that take precedence, such as those of TLS and SASL for the listener"
              + " CLIENT")
  private Path properties;

  @Option(
      names = "--ready-file",
      paramLabel = "FILE",
      description = "write host:port here when ready")
  private Path readyFile;

  public static void main(String[] args) {
    int exitCode =
        new CommandLine(new KafkaBroker())
            .setParameterExceptionHandler(
                (error, _) -> fail(2, error.getMessage() + " (see --help)"))
            .setExecutionExceptionHandler((error, _, _) -> fail(1, "cannot start: " + error))
            .execute(args);
    System.exit(exitCode);
  }

  @Override
  public Integer call() throws Exception {
    if (port != 0 && !LoopbackPorts.isFree(port)) {
      return fail(
          1,
          "port "
              + port
              + " on "
              + LoopbackPorts.HOST
              + " is in use; choose another with --port, or 0 for any free one");
    }
    Files.createDirectories(directory);
    System.setProperty(LOG_FILE_PROPERTY, logFile().toString());
    KafkaRaftServer server = start();
    // From here on a signal stops the broker; this thread waits for that.
    Runtime.getRuntime().addShutdownHook(new Thread(server::shutdown, "broker-shutdown"));
    server.awaitShutdown();
    return 0;
  }

  private KafkaRaftServer start() throws Exception {
    BrokerStorage storage = new BrokerStorage(directory.resolve("data").toAbsolutePath());
    storage.formatIfNew();
    int clientPort = port == 0 ? LoopbackPorts.claimFree() : port;
    BrokerConfiguration configuration =
        new BrokerConfiguration(
            storage,
            clientPort,
            LoopbackPorts.claimFree(),
            retentionBytes == null ? OptionalLong.empty() : OptionalLong.of(retentionBytes));
    Map<String, Object> kafka = new HashMap<>(configuration.toKafka());
    if (properties != null) {
      readProperties().forEach((name, value) -> kafka.put((String) name, value));
    }
    KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(kafka, false), Time.SYSTEM);
    server.startup();
    announce(LoopbackPorts.HOST + ":" + clientPort);
    return server;
  }

  private Properties readProperties() throws IOException {
    Properties read = new Properties();
    try (Reader reader = Files.newBufferedReader(properties)) {
      read.load(reader);
    }
    return read;
  }

  /** The file appears with its content or not at all: whoever waits for it may read it at once. */
  private void announce(String address) throws IOException {
    System.out.println("READY " + address);
    if (readyFile != null) {
      Path unfinished = readyFile.resolveSibling(readyFile.getFileName() + ".new");
      Files.writeString(unfinished, address);
      Files.move(unfinished, readyFile, StandardCopyOption.ATOMIC_MOVE);
    }
  }

  private Path logFile() {
    return directory.resolve("broker.log");
  }

  private static int fail(int exitCode, String message) {
    System.err.println("broker: " + message.lines().findFirst().orElse(message));
    return exitCode;
  }
}
