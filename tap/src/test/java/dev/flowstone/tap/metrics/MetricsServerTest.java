// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.flowstone.processes.TokenAuthenticator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

@Timeout(value = 20, unit = TimeUnit.SECONDS)
class MetricsServerTest {
  private static MetricsAddress at(String text) {
    return new MetricsAddress.Converter().convert(text);
  }

  private static HttpResponse<String> ask(MetricsServer server, String method, String path)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + server.address() + path))
            .timeout(Duration.ofSeconds(10))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build();
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request, HttpResponse.BodyHandlers.ofString());
    }
  }

  @Test
  void shouldServeWhatItIsAskedForAndNothingElse() throws Exception {
    try (MetricsServer server = MetricsServer.bind(at("0"), Optional.empty())) {
      server.start(() -> "packets 7\n");
      HttpResponse<String> answer = ask(server, "GET", "/metrics");
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.body()).isEqualTo("packets 7\n");
      assertThat(answer.headers().firstValue("Content-Type"))
          .contains("text/plain; version=0.0.4; charset=utf-8");
      assertThat(ask(server, "HEAD", "/metrics").body()).isEmpty();
      assertThat(ask(server, "POST", "/metrics").statusCode()).isEqualTo(405);
      assertThat(ask(server, "GET", "/metrics/more").statusCode()).isEqualTo(404);
      assertThat(ask(server, "GET", "/").body()).contains("/metrics");
    }
  }

  @Test
  void shouldServeNobodyWithoutTheToken() throws Exception {
    try (MetricsServer server =
        MetricsServer.bind(at("0"), Optional.of(new TokenAuthenticator("s3cret")))) {
      server.start(() -> "packets 7\n");
      assertThat(ask(server, "GET", "/metrics").statusCode()).isEqualTo(401);
      assertThat(ask(server, "GET", "/metrics").body()).isEmpty();
    }
  }

  @Test
  void shouldSayThatTheCountersCannotBeRead() throws Exception {
    try (MetricsServer server = MetricsServer.bind(at("0"), Optional.empty())) {
      server.start(
          () -> {
            throw new IllegalStateException("already closed");
          });
      HttpResponse<String> answer = ask(server, "GET", "/metrics");
      assertThat(answer.statusCode()).isEqualTo(500);
      assertThat(answer.body()).contains("already closed");
    }
  }

  /** Who scrapes must not be answered from memory that is gone. */
  @Test
  void shouldFinishTheAnswerThatItIsMakingBeforeItEnds() throws Exception {
    boolean[] answered = {false};
    CountDownLatch begun = new CountDownLatch(1);
    Thread closer = Thread.currentThread();
    AtomicBoolean closing = new AtomicBoolean();
    try (MetricsServer server = MetricsServer.bind(at("0"), Optional.empty())) {
      server.start(
          () -> {
            begun.countDown();
            awaitThatItWaits(closer, closing);
            answered[0] = true;
            return "";
          });
      Thread.ofPlatform().daemon().start(() -> askInVain(server));
      begun.await();
      closing.set(true);
    }
    assertThat(answered[0]).isTrue();
  }

  /** Returns when the thread that closes the server waits in there. */
  private static void awaitThatItWaits(Thread closer, AtomicBoolean closing) {
    while (!closing.get() || closer.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
  }

  private static void askInVain(MetricsServer server) {
    try {
      ask(server, "GET", "/metrics");
    } catch (IOException | InterruptedException closed) {
      // As meant.
    }
  }

  @Test
  void shouldSayThatThePortIsTaken() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
      String address = "127.0.0.1:" + taken.getLocalPort();
      assertThatThrownBy(() -> MetricsServer.bind(at(address), Optional.empty()))
          .hasMessageContaining("cannot serve --metrics at " + address + ": address already in use")
          .hasMessageContaining("another port");
    }
  }

  @Test
  void shouldListenOnThisHostAloneUnlessToldOtherwise() {
    assertThat(at("9400").socket().getAddress().isLoopbackAddress()).isTrue();
    assertThat(at("0.0.0.0:9400").socket().getAddress().isAnyLocalAddress()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "9400, 127.0.0.1:9400",
    "0.0.0.0:9400, 0.0.0.0:9400",
    "[::1]:65535, [0:0:0:0:0:0:0:1]:65535",
    "127.0.0.2:0, 127.0.0.2:0"
  })
  void shouldReadAddresses(String text, String address) {
    assertThat(at(text)).hasToString(address);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-1", "65536", "http", "127.0.0.1", "127.0.0.1:", ":9400", "a b:1"})
  void shouldSayWhatAnAddressLooksLike(String text) {
    assertThatThrownBy(() -> at(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("such as 9400, 0.0.0.0:9400")
        .hasMessageEndingWith(": " + text);
  }
}
