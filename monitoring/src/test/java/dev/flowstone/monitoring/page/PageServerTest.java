// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.flowstone.processes.TokenAuthenticator;
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
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class PageServerTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** Nobody listens there. */
  private static final String UNREACHABLE = "http://127.0.0.1:1";

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
    start(UNREACHABLE);
  }

  private void start(String flink) {
    server.start(places(flink));
  }

  private PagePlaces places(String flink) {
    return new PagePlaces(
        flink,
        Optional.empty(),
        Optional.of(UNREACHABLE),
        List.of(folder),
        Optional.of(folder.resolve("rules.yaml")));
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

  /** Returns the first state that fulfills the condition. */
  private JsonNode await(Predicate<JsonNode> condition) throws Exception {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    JsonNode state = state();
    while (!condition.test(state)) {
      assertThat(System.nanoTime() - deadlineNs).as("%s", state).isNegative();
      Thread.sleep(50);
      state = state();
    }
    return state;
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
  void shouldShowNothingToWhoDoesNotKnowTheToken() throws Exception {
    server.start(places(UNREACHABLE), Optional.of(new TokenAuthenticator("s3cret")));
    for (String path : List.of("/", "/main.js", "/api/state")) {
      assertThat(answer("GET " + path, HOST))
          .startsWith("HTTP/1.1 401")
          .contains("Content-length: 0");
      assertThat(answer("GET " + path, HOST + "Authorization: Bearer s3cret\r\n"))
          .startsWith("HTTP/1.1 200");
    }
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
    JsonNode state =
        await(
            each ->
                each.at("/flink/problem").isTextual() && each.at("/alerts/problem").isTextual());
    assertThat(state.at("/flink/problem").asText()).isEqualTo("no Flink answers at " + UNREACHABLE);
    assertThat(state.at("/flink/problem_since_ms").asLong())
        .isBetween(beginMs, System.currentTimeMillis());
    assertThat(state.at("/alerts/problem").asText())
        .isEqualTo("not known of which job: Flink has not answered");
    assertThat(state.at("/rings/value/problems/0").asText()).contains("no ring files there");
  }

  /** Each page would begin with a problem otherwise. */
  @Test
  void shouldHaveNoProblemWithAJobWhileFlinkIsAsked() throws Exception {
    CountDownLatch answering = new CountDownLatch(1);
    HttpServer slow =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    slow.createContext("/", exchange -> refuseAfter(answering, exchange));
    slow.start();
    try {
      start("http://127.0.0.1:" + slow.getAddress().getPort());
      JsonNode state = state();
      for (String part : List.of("flink", "alerts", "gaps")) {
        assertThat(state.at("/" + part + "/problem").isTextual()).as(part).isFalse();
      }
      answering.countDown();
      await(each -> each.at("/flink/problem").isTextual());
    } finally {
      slow.stop(0);
    }
  }

  private static void refuseAfter(CountDownLatch answering, HttpExchange exchange)
      throws IOException {
    try (exchange) {
      answering.await();
      exchange.sendResponseHeaders(404, -1);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
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
    JsonNode state =
        await(each -> each.at("/rings/value").isObject() && each.at("/rules/value").isObject());
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
