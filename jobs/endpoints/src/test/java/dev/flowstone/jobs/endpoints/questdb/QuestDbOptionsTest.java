// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.flowstone.jobs.endpoints.RingOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class QuestDbOptionsTest {
  @TempDir Path folder;

  private static QuestDbOptions parse(String... arguments) {
    QuestDbOptions options = new QuestDbOptions();
    new CommandLine(options).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
    return options;
  }

  @Test
  void shouldNeedNothing() {
    QuestDbOptions options = parse();
    options.requireSense();
    assertThat(options.isGiven()).isFalse();
    assertThat(options.bufferBytes).isEqualTo(128 << 20);
    assertThat(options.whenFull).isEqualTo(WhenFull.DROP);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --questdb localhost:9000              | --questdb must be like http://localhost:9000
          --questdb http://h:9000/write         | --questdb must be like http://localhost:9000
          --questdb http://u:p@h:9000           | --questdb takes no user
          --questdb-user admin                  | --questdb says where QuestDB is
          --questdb http://h --questdb-user a   | --questdb-user and --questdb-password-file belong together
          --questdb-buffer-bytes 5              | --questdb-buffer-bytes must be 4194304 to 4294967296: 5
          """)
  void shouldRefuseByTheOptionsName(String arguments, String message) {
    QuestDbOptions options = parse(arguments.split(" +"));
    assertThatThrownBy(options::requireSense)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void shouldAskAJobThatNeverEndsForCheckpoints() {
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
    RingOptions rings = new RingOptions();
    QuestDbOptions options = parse("--questdb", "http://localhost:9000");
    assertThatThrownBy(() -> QuestDbSinks.requireCheckpoints(environment, options, rings))
        .hasMessageContaining("set execution.checkpointing.interval");
    QuestDbSinks.requireCheckpoints(environment, parse(), rings);
    rings.bounded = true;
    QuestDbSinks.requireCheckpoints(environment, options, rings);
    rings.bounded = false;
    environment.enableCheckpointing(1_000);
    QuestDbSinks.requireCheckpoints(environment, options, rings);
  }

  @Test
  void shouldRepeatNoSecret() throws Exception {
    assertThatThrownBy(parse("--questdb", "http://user:secret@h:9000")::requireSense)
        .message()
        .doesNotContain("secret");
    QuestDbOptions options = loggedIn("http://localhost:9000");
    assertThat(QuestDbDelivery.of(options, "test"))
        .asString()
        .doesNotContain(options.authorization());
  }

  @Test
  void shouldLogInAndSayWhoIsNotLetIn() throws Exception {
    AtomicReference<String> asked = new AtomicReference<>();
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          asked.set(exchange.getRequestHeaders().getFirst("Authorization"));
          exchange.sendResponseHeaders(401, -1);
        });
    server.start();
    QuestDbOptions options = loggedIn("http://127.0.0.1:" + server.getAddress().getPort());
    try (QuestDb questDb = new QuestDb(options.address, options.authorization())) {
      assertThatThrownBy(() -> questDb.execute("SELECT 1"))
          .isInstanceOf(StoreAwayException.class)
          .hasMessageContaining("status 401 (check --questdb-user and --questdb-password-file");
    } finally {
      server.stop(0);
    }
    // What "admin:quest" is by RFC 7617.
    assertThat(asked).hasValue("Basic YWRtaW46cXVlc3Q=");
  }

  private QuestDbOptions loggedIn(String address) throws Exception {
    Path password = Files.writeString(folder.resolve("password"), "quest\n");
    QuestDbOptions options =
        parse(
            "--questdb",
            address,
            "--questdb-user",
            "admin",
            "--questdb-password-file",
            password.toString());
    options.requireSense();
    assertThat(options.address).isEqualTo(URI.create(address));
    return options;
  }
}
