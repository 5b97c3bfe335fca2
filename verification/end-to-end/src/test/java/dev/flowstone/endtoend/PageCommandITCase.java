// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import dev.flowstone.harness.DemoAddresses;
import dev.flowstone.processes.ChildOutput;
import dev.flowstone.processes.ChildProcess;
import dev.flowstone.testbed.browser.ScriptedJob;
import dev.flowstone.testbed.browser.ScriptedTables;
import dev.flowstone.testbed.browser.ToldByPage;
import dev.flowstone.testbed.programs.Programs;
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
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./flowstone page} as a user starts it: what it shows unless it is told, and to whom. */
@Timeout(180)
class PageCommandITCase {
  private static final String PROGRAM = "dev.flowstone.monitoring.page.PageCommand";
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final Duration LOOK = Duration.ofMillis(100);
  private static final Pattern ANNOUNCED = Pattern.compile("Page (http://\\S+)");
  private static final String HERE = "127.0.0.1";

  /** Of this machine as well, and none of localhost's. */
  private static final String ELSEWHERE = "127.0.0.2";

  @TempDir private Path folder;

  private ChildProcess page(String... arguments) throws IOException {
    List<String> all = Stream.concat(Stream.of("--port", "0"), Stream.of(arguments)).toList();
    return ChildProcess.start(
        Programs.of(folder, "page", PROGRAM, all).withJvmOptions("-Xmx256m"),
        ChildOutput.gatheredIn(folder));
  }

  private static String awaitUrl(ChildProcess page) throws Exception {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    Matcher announced = ANNOUNCED.matcher(page.output());
    while (!announced.find()) {
      assertThat(page.awaitEnd(LOOK) || System.nanoTime() - deadlineNs > 0)
          .as(Programs.said(page))
          .isFalse();
      announced = ANNOUNCED.matcher(page.output());
    }
    return announced.group(1);
  }

  /** What it tells when it has seen the scripted job. */
  private static JsonNode awaitJob(String url) throws Exception {
    return await(url, state -> state.at("/flink/value/job/name").asText().equals(ScriptedJob.NAME));
  }

  private static JsonNode await(String url, Predicate<JsonNode> told) throws Exception {
    try (ToldByPage page = ToldByPage.at(url)) {
      JsonNode state = page.state();
      long deadlineNs = System.nanoTime() + LIMIT.toNanos();
      while (!told.test(state)) {
        assertThat(System.nanoTime() - deadlineNs).as("%s", state).isNegative();
        Thread.sleep(LOOK);
        state = page.state();
      }
      return state;
    }
  }

  private static void requireSeenOnlyAt(String address, String otherAddress, String url)
      throws IOException {
    int port = URI.create(url).getPort();
    new Socket(InetAddress.ofLiteral(address), port).close();
    assertThatThrownBy(() -> new Socket(InetAddress.ofLiteral(otherAddress), port).close())
        .isInstanceOf(ConnectException.class);
  }

  private void haveDemo(String flink, String questDb) throws IOException {
    new DemoAddresses(
            ProcessHandle.current().pid(),
            flink,
            "localhost:1",
            "packets",
            "results",
            questDb,
            null,
            folder.toString())
        .write(Programs.state(folder).resolve("demo.json"));
  }

  @Test
  void shouldShowTheDemoThatRunsHereToThisMachineAlone() throws Exception {
    try (ScriptedJob job = new ScriptedJob(Map.of());
        ScriptedTables tables = new ScriptedTables()) {
      haveDemo(job.url() + "/", tables.url());
      try (ChildProcess page = page()) {
        String url = awaitUrl(page);
        requireSeenOnlyAt(HERE, ELSEWHERE, url);
        JsonNode state = awaitJob(url);
        assertThat(state.at("/flink/place").asText()).isEqualTo(job.url());
        assertThat(state.at("/alerts/place").asText()).isEqualTo(tables.url());
        assertThat(state.at("/rings/place").asText()).isEqualTo(folder.toString());
        assertThat(page.errors()).contains("showing the demo that runs here");
      }
    }
  }

  /** Also beside a demo, of which nothing is shown then. */
  @Test
  void shouldShowTheFlinkThatIsNamedAtTheAddressThatIsNamed() throws Exception {
    Path rings = Files.createDirectory(folder.resolve("rings"));
    try (ScriptedJob job = new ScriptedJob(Map.of())) {
      haveDemo("http://localhost:1", "http://localhost:1");
      try (ChildProcess page =
          page("--flink", job.url(), "--rings", rings.toString(), "--bind", ELSEWHERE)) {
        String url = awaitUrl(page);
        requireSeenOnlyAt(ELSEWHERE, HERE, url);
        JsonNode state = awaitJob(url);
        assertThat(state.at("/alerts/place").isNull()).isTrue();
        assertThat(state.at("/rings/place").asText()).isEqualTo(rings.toString());
      }
    }
  }

  @Test
  void shouldLogInToQuestDb() throws Exception {
    AtomicReference<String> said = new AtomicReference<>();
    HttpServer questDb =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    questDb.createContext(
        "/exec",
        exchange -> {
          said.set(exchange.getRequestHeaders().getFirst("Authorization"));
          exchange.sendResponseHeaders(401, -1);
          exchange.close();
        });
    questDb.start();
    Path password = Files.writeString(folder.resolve("password"), "quest\n");
    try (ScriptedJob job = new ScriptedJob(Map.of());
        ChildProcess page =
            page(
                "--flink",
                job.url(),
                "--questdb",
                "http://127.0.0.1:" + questDb.getAddress().getPort(),
                "--questdb-user",
                "admin",
                "--questdb-password-file",
                password.toString())) {
      await(awaitUrl(page), state -> state.at("/alerts/problem").asText().contains("(status 401)"));
    } finally {
      questDb.stop(0);
    }
    // What "admin:quest" is by RFC 7617.
    assertThat(said).hasValue("Basic YWRtaW46cXVlc3Q=");
  }

  @Test
  void shouldSayWhatIsNotThere() throws Exception {
    String nowhere = folder.resolve("nowhere").toString();
    requireRefusal(
        1, "--rings: " + nowhere + ": no such folder; start a tap first", "--rings", nowhere);
    requireRefusal(2, "--questdb takes no user", "--questdb", "http://admin:quest@localhost:9000");
  }

  private void requireRefusal(int status, String words, String... arguments) throws Exception {
    try (ChildProcess page = Programs.run(folder, PROGRAM, arguments)) {
      assertThat(page.end().status()).as(Programs.said(page)).isEqualTo(status);
      assertThat(page.errors()).contains(words).hasLineCount(1);
    }
  }
}
