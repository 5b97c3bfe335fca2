// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import dev.flowstone.tap.RecordedRings;
import dev.flowstone.traffic.synthetic.SyntheticOptions;
import dev.flowstone.traffic.synthetic.SyntheticSource;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class PageServerTest {
  /** Nobody listens there. */
  private static final String NOBODY = "http://127.0.0.1:1";

  private static final int PACKETS = 10_000;

  private static final String HOST = "Host: localhost\r\n";

  @TempDir private Path folder;
  private PageServer server;

  @BeforeEach
  void begin() throws IOException {
    server = PageServer.bind(PageServer.LOCALHOST, 0);
  }

  @AfterEach
  void end() {
    server.close();
  }

  private void start() {
    start(NOBODY);
  }

  private void start(String flink) {
    server.start(
        new PagePlaces(
            flink,
            Optional.empty(),
            Optional.of(NOBODY),
            List.of(folder),
            Optional.of(folder.resolve("rules.yaml"))));
  }

  /** What it answers to exactly that: no client in between makes it better. */
  private String answer(String line, String headers) throws IOException {
    try (Socket socket =
        new Socket(InetAddress.getLoopbackAddress(), URI.create(server.url()).getPort())) {
      socket
          .getOutputStream()
          .write((line + " HTTP/1.1\r\n" + headers + "Connection: close\r\n\r\n").getBytes(UTF_8));
      return new String(socket.getInputStream().readAllBytes(), ISO_8859_1);
    }
  }

  private JsonNode state() throws IOException {
    String answer = answer("GET /api/state", HOST);
    return new ObjectMapper().readTree(answer.substring(answer.indexOf("\r\n\r\n")));
  }

  @Test
  void shouldServeThePageAndLetItLoadNothingFromElsewhere() throws Exception {
    start();
    for (String path : List.of("/", "/index.html", "/main.js", "/page.css", "/api/state")) {
      assertThat(answer("GET " + path, HOST))
          .startsWith("HTTP/1.1 200")
          .containsIgnoringCase("content-security-policy: default-src 'none'; script-src 'self'")
          .containsIgnoringCase("x-content-type-options: nosniff")
          .containsIgnoringCase("frame-ancestors 'none'")
          .doesNotContainIgnoringCase("access-control-allow-origin");
    }
    assertThat(answer("GET /main.js", HOST)).containsIgnoringCase("content-type: text/javascript");
    assertThat(answer("HEAD /", HOST)).startsWith("HTTP/1.1 200").endsWith("\r\n\r\n");
  }

  @Test
  void shouldChangeNothingForAnybody() throws Exception {
    start();
    for (String method : List.of("POST", "PUT", "DELETE", "OPTIONS", "TRACE")) {
      assertThat(answer(method + " /api/state", HOST + "Content-Length: 0\r\n"))
          .startsWith("HTTP/1.1 405")
          .containsIgnoringCase("allow: GET, HEAD");
    }
  }

  @Test
  void shouldHaveNothingButThePage() throws Exception {
    start();
    for (String path :
        List.of(
            "/nothing",
            "/../../../etc/passwd",
            "/%2e%2e/%2e%2e/etc/passwd",
            "/..%2fPageServer.class",
            "/PageServer.class",
            "//etc/passwd",
            "/api/state/x")) {
      assertThat(answer("GET " + path, HOST)).as(path).startsWith("HTTP/1.1 404");
    }
  }

  @Test
  void shouldNotAnswerUnderANameThatIsNotItsOwn() throws Exception {
    start();
    for (String path : List.of("/", "/api/state")) {
      assertThat(answer("GET " + path, "Host: attacker.example\r\n")).startsWith("HTTP/1.1 403");
    }
    assertThat(answer("GET /api/state", "Host: 127.0.0.1:8090\r\n")).startsWith("HTTP/1.1 200");
  }

  /** Another address of this machine, which is none of localhost's. */
  @Test
  void shouldListenAtNoOtherAddress() {
    int port = URI.create(server.url()).getPort();
    assertThatThrownBy(() -> new Socket("127.0.0.2", port).close())
        .isInstanceOf(ConnectException.class);
  }

  @Test
  void shouldSayWhoDoesNotAnswerAndSinceWhen() throws Exception {
    long beginMs = System.currentTimeMillis();
    start();
    JsonNode state = state();
    while (!state.at("/flink/problem").isTextual() || !state.at("/alerts/problem").isTextual()) {
      Thread.sleep(100);
      state = state();
    }
    assertThat(state.at("/flink/problem").asText()).isEqualTo("no Flink answers at " + NOBODY);
    assertThat(state.at("/flink/problem_since_ms").asLong())
        .isBetween(beginMs, System.currentTimeMillis());
    assertThat(state.at("/alerts/problem").asText())
        .isEqualTo("not known of which job: Flink has not answered");
    assertThat(state.at("/rings/value/problems/0").asText()).contains("no ring files there");
  }

  /** Or each page would begin with a problem that there is not. */
  @Test
  void shouldHaveNoProblemWithAJobThatFlinkIsBeingAskedFor() throws Exception {
    HttpServer slow =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    slow.createContext(
        "/",
        exchange -> {
          LockSupport.parkNanos(Duration.ofMillis(1_500).toNanos());
          exchange.sendResponseHeaders(404, -1);
          exchange.close();
        });
    slow.start();
    try {
      start("http://127.0.0.1:" + slow.getAddress().getPort());
      JsonNode state = state();
      assertThat(state.at("/flink/problem").isTextual()).isFalse();
      while (!state.at("/flink/problem").isTextual()) {
        assertThat(state.at("/alerts/problem").isTextual()).isFalse();
        assertThat(state.at("/gaps/problem").isTextual()).isFalse();
        state = state();
      }
    } finally {
      slow.stop(0);
    }
  }

  @Test
  void shouldTellWhatTheRingsAndTheRulesFileSay() throws Exception {
    Files.writeString(
        folder.resolve("rules.yaml"),
        """
        rules:
          - {name: web, priority: 7, match: {protocol: tcp, source_port: 443}, function: aggregate}
        default: {function: drop}
        """);
    try (SyntheticSource source =
        new SyntheticSource(SyntheticOptions.defaults().withPackets(PACKETS))) {
      RecordedRings.fill(folder, source, PACKETS);
    }
    start();
    JsonNode state = state();
    while (!state.at("/rings/value").isObject() || !state.at("/rules/value").isObject()) {
      Thread.sleep(100);
      state = state();
    }
    long offered = 0;
    for (JsonNode ring : state.at("/rings/value/rings")) {
      assertThat(ring.at("/dropped/count").asLong()).isZero();
      assertThat(ring.path("is_ended").asBoolean()).isTrue();
      offered += ring.at("/offered/count").asLong();
    }
    assertThat(offered).isEqualTo(PACKETS);
    JsonNode words = state.at("/rules/value/words");
    assertThat(words.findValuesAsText("name")).containsExactly("web", "default");
    assertThat(words.findValuesAsText("kind")).containsExactly("aggregate", "drop");
    assertThat(words.at("/0/packets").asText()).contains("443");
    assertThat(state.at("/rules/value/standing").asText()).as("no job").isEqualTo("UNTOLD");
  }

  @Test
  void shouldSayThatItsPortIsTaken() {
    int port = URI.create(server.url()).getPort();
    assertThatThrownBy(() -> PageServer.bind(PageServer.LOCALHOST, port))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot serve the page at localhost:" + port)
        .hasMessageContaining("choose another port");
  }
}
