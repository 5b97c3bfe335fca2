// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.tap.metrics;

import com.sun.net.httpserver.Authenticator;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Serves metrics over HTTP, at {@code /metrics}. Who opened it closes it; after that nobody asks
 * for metrics any more.
 */
public final class MetricsServer implements AutoCloseable {
  /** Askers that are served at a time, so that a slow one does not keep others waiting. */
  private static final int THREADS = 2;

  private static final int MAX_WAITING = 16;
  private static final int OK = 200;
  private static final int NOT_FOUND = 404;
  private static final int FAILED = 500;
  private static final int WRONG_METHOD = 405;

  static {
    // Read once, by the first server of this process: nobody holds a thread for longer.
    System.setProperty("sun.net.httpserver.maxReqTime", "10");
    System.setProperty("sun.net.httpserver.maxRspTime", "10");
    System.setProperty("jdk.httpserver.maxConnections", "64");
  }

  private final HttpServer server;
  private final Optional<Authenticator> authenticator;
  private final ExecutorService threads =
      Executors.newFixedThreadPool(
          THREADS, task -> Thread.ofPlatform().name("tap-metrics").daemon().unstarted(task));

  private boolean closed;

  private MetricsServer(HttpServer server, Optional<Authenticator> authenticator) {
    this.server = server;
    this.authenticator = authenticator;
    server.setExecutor(threads);
  }

  /**
   * Takes the port, so that whether it can be had is known before anything starts.
   *
   * @param authenticator decides who gets metrics; empty: everybody
   */
  public static MetricsServer bind(MetricsAddress address, Optional<Authenticator> authenticator) {
    try {
      return new MetricsServer(HttpServer.create(address.socket(), MAX_WAITING), authenticator);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot serve --metrics at "
              + address
              + ": "
              + Reason.of(e).toLowerCase(Locale.ROOT)
              + "; choose another port (those below 1024 need CAP_NET_BIND_SERVICE)",
          e);
    }
  }

  /**
   * Answers from now on, and says where.
   *
   * @param server null where nobody asked for metrics, and then nothing happens
   * @return the server, to be closed before what the metrics tell of
   */
  public static MetricsServer serve(MetricsServer server, Supplier<String> metrics) {
    if (server != null) {
      server.start(metrics);
      System.err.println("metrics at http://" + server.address() + "/metrics");
    }
    return server;
  }

  /** Where it listens. */
  public MetricsAddress address() {
    return new MetricsAddress(server.getAddress());
  }

  /** Answers from now on. */
  public void start(Supplier<String> metrics) {
    HttpContext context = server.createContext("/", exchange -> answer(exchange, metrics));
    authenticator.ifPresent(context::setAuthenticator);
    server.start();
  }

  private static void answer(HttpExchange exchange, Supplier<String> metrics) throws IOException {
    try (exchange) {
      if (!exchange.getRequestURI().getPath().equals("/metrics")) {
        send(exchange, NOT_FOUND, "metrics are at /metrics\n");
      } else if (!exchange.getRequestMethod().matches("GET|HEAD")) {
        send(exchange, WRONG_METHOD, "metrics are there to GET\n");
      } else {
        sendMetrics(exchange, metrics);
      }
    }
  }

  private static void sendMetrics(HttpExchange exchange, Supplier<String> metrics)
      throws IOException {
    String text;
    try {
      text = metrics.get();
    } catch (RuntimeException e) {
      send(exchange, FAILED, "the counters cannot be read: " + Reason.of(e) + "\n");
      return;
    }
    send(exchange, OK, text);
  }

  private static void send(HttpExchange exchange, int status, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", Exposition.CONTENT_TYPE);
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.sendResponseHeaders(status, -1);
      return;
    }
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  /** Waits for the answers that are being made: they read what will be closed next. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    server.stop(0);
    threads.shutdown();
    try {
      threads.awaitTermination(1, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
