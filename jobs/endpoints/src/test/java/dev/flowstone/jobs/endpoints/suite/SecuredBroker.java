// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.suite;

import dev.flowstone.broker.process.BrokerOptions;
import dev.flowstone.broker.process.BrokerProcess;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.processes.NativeProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A broker that takes clients only by TLS and with a login: a certificate of its own, and the users
 * of SASL's mechanism PLAIN.
 */
final class SecuredBroker implements AutoCloseable {
  static final String PASSWORD = "of-the-job";

  private static final String STORE_PASSWORD = "of-the-store";
  private static final String LOGIN =
      "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"%s\" password=\"%s\"";
  private static final Duration KEYTOOL_LIMIT = Duration.ofMinutes(1);

  private final Path folder;
  private final BrokerProcess process;

  private SecuredBroker(Path folder, BrokerProcess process) {
    this.folder = folder;
    this.process = process;
  }

  static SecuredBroker start(Path folder) throws IOException, InterruptedException {
    Path keys = folder.resolve("keys.p12");
    Path certificate = folder.resolve("certificate.pem");
    keytool(
        keys,
        "-genkeypair",
        "-alias",
        "broker",
        "-keyalg",
        "EC",
        "-dname",
        "CN=broker",
        "-ext",
        "SAN=IP:127.0.0.1");
    keytool(keys, "-exportcert", "-rfc", "-alias", "broker", "-file", certificate.toString());
    Path properties =
        Files.writeString(
            folder.resolve("broker.properties"),
            """
            listener.security.protocol.map=CLIENT:SASL_SSL,CONTROLLER:PLAINTEXT
            sasl.enabled.mechanisms=PLAIN
            sasl.mechanism.inter.broker.protocol=PLAIN
            listener.name.client.plain.sasl.jaas.config=%s user_broker="of-the-broker" user_job="%s";
            ssl.keystore.type=PKCS12
            ssl.keystore.location=%s
            ssl.keystore.password=%s
            ssl.truststore.type=PEM
            ssl.truststore.location=%s
            """
                .formatted(
                    LOGIN.formatted("broker", "of-the-broker"),
                    PASSWORD,
                    keys,
                    STORE_PASSWORD,
                    certificate));
    return new SecuredBroker(
        folder,
        BrokerProcess.start(BrokerOptions.in(folder.resolve("kafka")).withProperties(properties)));
  }

  private static void keytool(Path keys, String... arguments)
      throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(
        List.of(
            "-keystore", keys.toString(), "-storetype", "PKCS12", "-storepass", STORE_PASSWORD));
    Path program = Path.of(System.getProperty("java.home"), "bin", "keytool");
    try (ChildProcess keytool =
        ChildProcess.start(
            new NativeProgram("keytool", program, all), ChildOutput.gatheredIn(keys.getParent()))) {
      keytool.requireSuccess(KEYTOOL_LIMIT);
    }
  }

  String bootstrapServers() {
    return process.bootstrapServers();
  }

  /** Properties of Kafka's clients, as users write them. */
  Path clientProperties(String password) throws IOException {
    return Files.writeString(
        folder.resolve("client-" + password + ".properties"),
        """
        security.protocol=SASL_SSL
        sasl.mechanism=PLAIN
        sasl.jaas.config=%s;
        ssl.truststore.type=PEM
        ssl.truststore.location=%s
        """
            .formatted(LOGIN.formatted("job", password), folder.resolve("certificate.pem")));
  }

  @Override
  public void close() {
    process.close();
  }
}
