// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A page in a browser without a window, asked over the DevTools protocol. Whoever opens it closes
 * it, which ends the browser. One thread.
 */
final class Chromium implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final Duration END_LIMIT = Duration.ofSeconds(10);
  private static final long POLL_INTERVAL_MS = 100;
  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");

  /** As on a machine without internet: what a page wanted from elsewhere would be complained of. */
  private static final String NO_NETWORK = "MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1";

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Process process;
  private final Path profile;
  private final HttpClient http = HttpClient.newHttpClient();
  private final BlockingQueue<JsonNode> messages = new LinkedBlockingQueue<>();
  private final List<String> complaints = new ArrayList<>();
  private WebSocket socket;
  private int asked;

  private Chromium(Process process, Path profile) {
    this.process = process;
    this.profile = profile;
  }

  /** Where it is installed. */
  private static Optional<Path> find() {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  static boolean isThere() {
    return find().isPresent();
  }

  /** Without one the test is told as skipped. */
  static void require() {
    assumeTrue(isThere(), "SKIPPED: no chromium on the PATH, and apt-get could not bring it");
  }

  /**
   * Shows that page.
   *
   * @param folder for all that the browser keeps
   */
  static Chromium open(Path folder, String url) throws Exception {
    Path profile = Files.createTempDirectory(folder, "chromium-");
    Process process =
        new ProcessBuilder(
                find().orElseThrow().toString(),
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-quic",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--host-resolver-rules=" + NO_NETWORK,
                "--window-size=1600,900",
                "--user-data-dir=" + profile,
                "--remote-debugging-port=0",
                "about:blank")
            .redirectErrorStream(true)
            .redirectOutput(profile.resolve("chromium.log").toFile())
            .start();
    Chromium browser = new Chromium(process, profile);
    try {
      browser.connect();
      browser.call("Runtime.enable", JSON.createObjectNode());
      browser.call("Log.enable", JSON.createObjectNode());
      browser.call("Page.navigate", JSON.createObjectNode().put("url", url));
      return browser;
    } catch (Exception | AssertionError e) {
      browser.close();
      throw e;
    }
  }

  private void connect() throws Exception {
    String port = Files.readAllLines(awaitFile("DevToolsActivePort")).getFirst();
    socket =
        http.newWebSocketBuilder()
            .buildAsync(awaitTarget(port), new Listener(messages))
            .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  /** Where its first page can be asked. */
  private URI awaitTarget(String port) throws Exception {
    HttpRequest targets =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/json"))
            .timeout(LIMIT)
            .build();
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      for (JsonNode each :
          JSON.readTree(http.send(targets, HttpResponse.BodyHandlers.ofString()).body())) {
        String target = each.path("webSocketDebuggerUrl").asText();
        if (each.path("type").asText().equals("page") && !target.isEmpty()) {
          return URI.create(target);
        }
      }
      requireMore(deadlineNs);
      Thread.sleep(POLL_INTERVAL_MS);
    }
  }

  /** It may yet come to what is waited for. */
  private void requireMore(long deadlineNs) throws IOException {
    assertThat(process.isAlive() && System.nanoTime() - deadlineNs < 0).as(log()).isTrue();
  }

  private Path awaitFile(String name) throws Exception {
    Path file = profile.resolve(name);
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    while (!Files.exists(file) || Files.readAllLines(file).isEmpty()) {
      requireMore(deadlineNs);
      Thread.sleep(POLL_INTERVAL_MS);
    }
    return file;
  }

  private String log() throws IOException {
    return Files.readString(profile.resolve("chromium.log"));
  }

  /** As a window of that size shows it. */
  void resize(int widthPx, int heightPx) throws Exception {
    ObjectNode size = JSON.createObjectNode().put("width", widthPx).put("height", heightPx);
    call(
        "Emulation.setDeviceMetricsOverride",
        size.put("deviceScaleFactor", 1).put("mobile", false));
  }

  /** What an expression is in the page. */
  JsonNode value(String expression) throws Exception {
    ObjectNode what = JSON.createObjectNode();
    what.put("expression", expression).put("returnByValue", true).put("awaitPromise", true);
    JsonNode answer = call("Runtime.evaluate", what);
    assertThat(answer.has("exceptionDetails")).as("%s: %s", expression, answer).isFalse();
    return answer.path("result").path("value");
  }

  /** Returns when the expression is true. */
  void await(String expression) throws Exception {
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    while (!value(expression).asBoolean()) {
      assertThat(System.nanoTime() - deadlineNs)
          .as("%s in%n%s%n%s", expression, value("document.body.innerText").asText(), complaints)
          .isNegative();
      Thread.sleep(POLL_INTERVAL_MS);
    }
  }

  /** Of exceptions that nobody caught, of what its policy forbids, of what was not found. */
  List<String> complaints() {
    return List.copyOf(complaints);
  }

  private JsonNode call(String method, ObjectNode parameters) throws Exception {
    int id = ++asked;
    ObjectNode question = JSON.createObjectNode().put("id", id).put("method", method);
    question.set("params", parameters);
    socket.sendText(question.toString(), true).get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    while (true) {
      JsonNode message = messages.poll(LIMIT.toSeconds(), TimeUnit.SECONDS);
      assertThat(message).as(method).isNotNull();
      if (message.path("id").asInt() == id) {
        return message.path("result");
      }
      hear(message);
    }
  }

  private void hear(JsonNode message) {
    String method = message.path("method").asText();
    if (method.equals("Runtime.exceptionThrown") || method.equals("Log.entryAdded")) {
      complaints.add(message.path("params").toString());
    }
  }

  /** Puts the parts of a message together. */
  private static final class Listener implements WebSocket.Listener {
    private final BlockingQueue<JsonNode> messages;
    private final StringBuilder parts = new StringBuilder();

    Listener(BlockingQueue<JsonNode> messages) {
      this.messages = messages;
    }

    @Override
    public CompletionStage<?> onText(WebSocket socket, CharSequence part, boolean isLast) {
      parts.append(part);
      if (isLast) {
        try {
          messages.add(JSON.readTree(parts.toString()));
        } catch (IOException e) {
          return CompletableFuture.failedFuture(e);
        }
        parts.setLength(0);
      }
      socket.request(1);
      return null;
    }
  }

  /** Asked to, it takes away what it has put elsewhere; if it does not, it is killed. */
  @Override
  public void close() {
    if (socket != null) {
      var _ = socket.sendText("{\"id\": 0, \"method\": \"Browser.close\"}", true);
      process.onExit().completeOnTimeout(process, END_LIMIT.toSeconds(), TimeUnit.SECONDS).join();
    }
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    process.onExit().join();
    http.shutdownNow();
  }
}
