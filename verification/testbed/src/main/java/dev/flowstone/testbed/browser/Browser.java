// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.harness.ScratchFolder;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The Chromium process of this JVM, which starts with the first page and ends with the JVM. A start
 * costs more than the pages do. Any thread.
 */
final class Browser {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final long POLL_INTERVAL_MS = 50;
  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome", "google-chrome-stable");

  /** As on a machine without internet: a page that loads from elsewhere complains. */
  private static final String NO_NETWORK = "MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1";

  private static Browser shared;

  private final HttpClient http = HttpClient.newHttpClient();
  private final ScratchFolder profile;
  private final Process process;
  private final String address;

  private Browser(ScratchFolder profile) throws Exception {
    this.profile = profile;
    process =
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
                "--user-data-dir=" + profile.path(),
                "--remote-debugging-port=0",
                "about:blank")
            .redirectErrorStream(true)
            .redirectOutput(profile.path().resolve("chromium.log").toFile())
            .start();
    Runtime.getRuntime().addShutdownHook(new Thread(this::end, "end-chromium"));
    address = "http://127.0.0.1:" + awaitPort();
  }

  static synchronized Browser shared() throws Exception {
    if (shared == null || !shared.process.isAlive()) {
      shared = new Browser(ScratchFolder.onDisk("chromium"));
    }
    return shared;
  }

  static Optional<Path> find() {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .flatMap(folder -> NAMES.stream().map(name -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private String awaitPort() throws Exception {
    Path file = profile.path().resolve("DevToolsActivePort");
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    while (!Files.exists(file) || Files.readAllLines(file).isEmpty()) {
      assertThat(process.isAlive() && System.nanoTime() - deadlineNs < 0).as(log()).isTrue();
      Thread.sleep(POLL_INTERVAL_MS);
    }
    return Files.readAllLines(file).getFirst();
  }

  private String log() throws IOException {
    return Files.readString(profile.path().resolve("chromium.log"));
  }

  /**
   * A page of its own, as a tab.
   *
   * @param socket for the DevTools protocol
   */
  record Tab(String id, URI socket) {}

  Tab openTab() throws Exception {
    JsonNode tab = new ObjectMapper().readTree(send("PUT", "/json/new?about:blank"));
    return new Tab(tab.path("id").asText(), URI.create(tab.path("webSocketDebuggerUrl").asText()));
  }

  void close(Tab tab) throws Exception {
    send("GET", "/json/close/" + tab.id());
  }

  private String send(String method, String path) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(address + path))
            .timeout(LIMIT)
            .method(method, BodyPublishers.noBody())
            .build();
    return http.send(request, BodyHandlers.ofString()).body();
  }

  private void end() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    process.onExit().completeOnTimeout(process, LIMIT.toSeconds(), TimeUnit.SECONDS).join();
    profile.close();
  }
}
