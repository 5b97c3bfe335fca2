// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.metrics.prometheus;

import com.sun.net.httpserver.Authenticator;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.prometheus.client.exporter.common.TextFormat;
import java.io.IOException;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Serves what Flink's own reporter serves, at one address. It is in Flink's package because Flink
 * keeps the metrics in a field that only its package sees.
 */
public final class LocalPrometheusReporter extends AbstractPrometheusReporter {
  private static final int THREADS = 2;
  private static final int MAX_WAITING = 16;
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;

  static {
    // Read by the first server of a process. Without them a silent client holds a thread
    // indefinitely.
    System.setProperty("sun.net.httpserver.maxReqTime", "10");
    System.setProperty("sun.net.httpserver.maxRspTime", "10");
    System.setProperty("jdk.httpserver.maxConnections", "64");
  }

  private final HttpServer server;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          THREADS, task -> Thread.ofPlatform().name("metrics").daemon().unstarted(task));

  LocalPrometheusReporter(InetSocketAddress address, Optional<Authenticator> authenticator)
      throws IOException {
    server = HttpServer.create(address, MAX_WAITING);
    server.setExecutor(threads);
    HttpContext context = server.createContext("/", this::answer);
    authenticator.ifPresent(context::setAuthenticator);
    server.start();
  }

  InetSocketAddress address() {
    return server.getAddress();
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (exchange.getRequestURI().getPath().equals("/metrics")) {
        StringWriter text = new StringWriter();
        TextFormat.write004(text, registry.metricFamilySamples());
        send(exchange, OK, text.toString());
      } else {
        send(exchange, NOT_FOUND, "metrics are at /metrics\n");
      }
    }
  }

  private static void send(HttpExchange exchange, int status, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", TextFormat.CONTENT_TYPE_004);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
    super.close();
  }
}
