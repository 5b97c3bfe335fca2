// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.browser;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URLDecoder;
import java.util.Optional;
import java.util.function.Function;

/**
 * Answers over HTTP on this machine what a test says, in JSON, one question after the other.
 * Whoever starts it closes it.
 */
final class ScriptedServer implements AutoCloseable {
  private final HttpServer server;

  /**
   * @param answers to what is asked for, with its query; empty: that is not there
   */
  ScriptedServer(Function<String, Optional<String>> answers) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange ->
            answer(
                exchange,
                answers.apply(URLDecoder.decode(exchange.getRequestURI().toString(), UTF_8))));
    server.start();
  }

  private static void answer(HttpExchange exchange, Optional<String> json) throws IOException {
    try (exchange) {
      byte[] body = json.orElse("{}").getBytes(UTF_8);
      exchange.sendResponseHeaders(
          json.isPresent() ? HttpURLConnection.HTTP_OK : HttpURLConnection.HTTP_NOT_FOUND,
          body.length);
      exchange.getResponseBody().write(body);
    }
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
