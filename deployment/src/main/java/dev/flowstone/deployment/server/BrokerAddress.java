// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.server;

import dev.flowstone.offheap.Reason;
import dev.flowstone.processes.LoopbackPorts;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.KafkaException;
import picocli.CommandLine.Option;

/** The brokers that have the topics. */
final class BrokerAddress {
  @Option(
      names = "--bootstrap-servers",
      paramLabel = "HOST:PORT",
      description = "Kafka brokers. Default: the broker that ./flowstone broker start started.")
  private Optional<String> bootstrapServers = Optional.empty();

  @Option(
      names = "--kafka-properties",
      paramLabel = "FILE",
      description = "Properties of Kafka's clients, for TLS or SASL.")
  private Optional<Path> propertiesFile = Optional.empty();

  /**
   * Connects to the brokers.
   *
   * @param local asked if no brokers are named: a user without a state folder has none
   */
  Topics open(Supplier<LocalServer> local) throws IOException {
    String servers = bootstrapServers.isPresent() ? bootstrapServers.get() : addressOf(local.get());
    Properties settings = new Properties();
    if (propertiesFile.isPresent()) {
      read(propertiesFile.get(), settings);
    }
    settings.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, servers);
    try {
      return new Topics(Admin.create(settings), servers);
    } catch (KafkaException e) {
      throw new IllegalArgumentException(
          "--bootstrap-servers: cannot make a Kafka client: " + servers + "; " + Reason.ofRoot(e),
          e);
    }
  }

  private static String addressOf(LocalServer local) throws IOException {
    if (!local.supervision().isActive() || !local.isReady()) {
      throw new IOException(
          "no Kafka broker is running: ./flowstone broker start, or name another broker with"
              + " --bootstrap-servers HOST:PORT");
    }
    return LoopbackPorts.HOST + ":" + local.ports().getFirst();
  }

  private static void read(Path file, Properties settings) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      settings.load(in);
    } catch (IOException e) {
      throw new IOException("--kafka-properties: cannot read " + file + ": " + Reason.of(e), e);
    }
  }
}
