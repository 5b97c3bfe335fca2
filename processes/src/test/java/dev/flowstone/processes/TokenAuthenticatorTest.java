// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.processes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The JDK's server asks it. */
@Timeout(20)
class TokenAuthenticatorTest {
  private static final String TOKEN = "s3cret:ü";

  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
    serve(TOKEN);
    server.start();
  }

  private void serve(String token) {
    server
        .createContext(
            "/",
            exchange -> {
              exchange.sendResponseHeaders(204, -1);
              exchange.close();
            })
        .setAuthenticator(new TokenAuthenticator(token));
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private HttpResponse<String> ask(HttpRequest.Builder request) throws Exception {
    URI place = URI.create("http://localhost:" + server.getAddress().getPort() + "/");
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(request.uri(place).build(), HttpResponse.BodyHandlers.ofString());
    }
  }

  private static String basic(String pair) {
    return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void shouldAskABrowserForTheToken() throws Exception {
    HttpResponse<String> answer = ask(HttpRequest.newBuilder());
    assertThat(answer.statusCode()).isEqualTo(401);
    assertThat(answer.headers().firstValue("WWW-Authenticate"))
        .contains("Basic realm=\"Flowstone\", charset=\"UTF-8\"");
  }

  @Test
  void shouldTakeTheTokenAsThePasswordOfAnyUser() throws Exception {
    assertThat(ask(HttpRequest.newBuilder().header("Authorization", basic("me:" + TOKEN))))
        .extracting(HttpResponse::statusCode)
        .isEqualTo(204);
  }

  @Test
  void shouldTakeABearersToken() throws Exception {
    server.removeContext("/");
    serve("plain");
    assertThat(ask(HttpRequest.newBuilder().header("Authorization", "Bearer plain")))
        .extracting(HttpResponse::statusCode)
        .isEqualTo(204);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Bearer ", "Bearer other", "Basic %%%", "Basic ", "Digest plain", "plain"})
  void shouldLetNobodyElseIn(String header) throws Exception {
    assertThat(ask(HttpRequest.newBuilder().header("Authorization", header)).statusCode())
        .isEqualTo(401);
  }

  @Test
  void shouldRefuseAWrongPassword() throws Exception {
    assertThat(ask(HttpRequest.newBuilder().header("Authorization", basic("me:other"))))
        .extracting(HttpResponse::statusCode)
        .isEqualTo(401);
  }

  @Test
  void shouldRefuseATokenThatLetsEverybodyIn() {
    assertThatThrownBy(() -> new TokenAuthenticator("")).hasMessageContaining("empty token");
  }
}
