// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.flink;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.flowstone.testbed.programs.ProjectRoot;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A real Prometheus, the one that is installed, or Debian's package unpacked into the build folder.
 * Whoever starts it closes it. One thread.
 */
public final class Prometheus implements AutoCloseable {
  private static final Duration DOWNLOAD_LIMIT = Duration.ofMinutes(2);
  private static final Duration START_LIMIT = Duration.ofSeconds(30);
  private static final long POLL_INTERVAL_MS = 100;

  private final Process process;
  private final HttpClient http = HttpClient.newHttpClient();
  private final String address;

  private Prometheus(Process process, int port) {
    this.process = process;
    address = "http://127.0.0.1:" + port;
  }

  /** The folder of {@code prometheus} and {@code promtool}; empty: they cannot be had. */
  public static Optional<Path> find() throws IOException, InterruptedException {
    Path unpacked = ProjectRoot.find().resolve("build/prometheus");
    Optional<Path> there =
        Stream.concat(
                Stream.of(System.getenv("PATH").split(":", -1)).map(Path::of),
                Stream.of(unpacked.resolve("usr/bin")))
            .filter(folder -> Files.isExecutable(folder.resolve("prometheus")))
            .filter(folder -> Files.isExecutable(folder.resolve("promtool")))
            .findFirst();
    return there.isPresent() ? there : unpack(unpacked);
  }

  private static Optional<Path> unpack(Path folder) throws IOException, InterruptedException {
    Files.createDirectories(folder);
    Process download =
        new ProcessBuilder(
                "bash",
                "-c",
                "apt-get download prometheus && dpkg -x prometheus_*.deb . && rm *.deb")
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("download.log").toFile())
            .start();
    if (!download.waitFor(DOWNLOAD_LIMIT.toSeconds(), TimeUnit.SECONDS)) {
      download.destroyForcibly();
    }
    Path programs = folder.resolve("usr/bin");
    return Files.isExecutable(programs.resolve("promtool"))
        ? Optional.of(programs)
        : Optional.empty();
  }

  /** Returns when it answers. */
  public static Prometheus start(Path programs, Path configuration, Path data, int port)
      throws Exception {
    Process process =
        new ProcessBuilder(
                programs.resolve("prometheus").toString(),
                "--config.file=" + configuration,
                "--storage.tsdb.path=" + data,
                "--web.listen-address=127.0.0.1:" + port)
            .redirectErrorStream(true)
            .redirectOutput(data.resolveSibling("prometheus.log").toFile())
            .start();
    Prometheus prometheus = new Prometheus(process, port);
    long deadlineNs = System.nanoTime() + START_LIMIT.toNanos();
    while (!prometheus.isReady()) {
      if (!process.isAlive() || System.nanoTime() - deadlineNs > 0) {
        prometheus.close();
        throw new AssertionError(Files.readString(data.resolveSibling("prometheus.log")));
      }
      Thread.sleep(POLL_INTERVAL_MS);
    }
    return prometheus;
  }

  private boolean isReady() throws IOException, InterruptedException {
    try {
      return get("/-/ready").statusCode() == 200;
    } catch (ConnectException notYet) {
      return false;
    }
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(URI.create(address + path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }

  /** The series that an expression has now. */
  public JsonNode query(String expression) throws IOException, InterruptedException {
    HttpResponse<String> answer =
        get("/api/v1/query?query=" + URLEncoder.encode(expression, UTF_8));
    JsonNode json = new ObjectMapper().readTree(answer.body());
    if (!json.path("status").asText().equals("success")) {
      throw new AssertionError(expression + ": " + answer.body());
    }
    return json.path("data").path("result");
  }

  /** Of an expression that has one series; NaN: it has none. */
  public double value(String expression) throws IOException, InterruptedException {
    JsonNode value = query(expression).path(0).path("value").path(1);
    return value.isMissingNode() ? Double.NaN : Double.parseDouble(value.asText());
  }

  @Override
  public void close() {
    http.close();
    process.destroy();
    process.onExit().join();
  }
}
