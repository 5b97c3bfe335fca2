// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import com.sun.net.httpserver.Authenticator;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpContext;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Serves the page over HTTP to whoever can reach its address. Who starts it closes it. It only
 * reads: whatever is asked, nothing changes and nothing of it is passed on.
 */
public final class PageServer implements AutoCloseable {
  /** Nobody but this machine. */
  public static final String LOCALHOST = "localhost";

  private static final int MOST_WAITING = 64;
  private static final int OK = 200;
  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;
  private static final int WRONG_METHOD = 405;
  private static final int FAILED = 500;
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String STATE = "/api/state";

  /** Which columns of the heat map the asker has. */
  private static final Pattern KNOWN = Pattern.compile("instance=(\\d{1,19})&revision=(\\d{1,18})");

  /** Scripts and styles are files of this server; nothing is loaded from or sent to elsewhere. */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  static {
    // Read once, by the first server of this process: nobody holds a thread for longer.
    System.setProperty("sun.net.httpserver.maxReqTime", "10");
    System.setProperty("sun.net.httpserver.maxRspTime", "10");
    System.setProperty("jdk.httpserver.maxConnections", "64");
  }

  private final HttpServer server;
  private final ServedHosts hosts;
  private final String name;
  private final PageFiles files = new PageFiles();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  private PageServer(HttpServer server, ServedHosts hosts, String name) {
    this.server = server;
    this.hosts = hosts;
    this.name = name;
    server.setExecutor(threads);
  }

  /**
   * Takes the port, so that whether it can be had is known before anything starts.
   *
   * @param address name or address of this machine; {@link #LOCALHOST}: nobody else can ask
   * @param port 0: any that is free
   */
  public static PageServer bind(String address, int port) throws IOException {
    InetAddress host = resolved(address);
    try {
      return new PageServer(
          HttpServer.create(new InetSocketAddress(host, port), MOST_WAITING),
          ServedHosts.of(address, host),
          host.isAnyLocalAddress() ? LOCALHOST : ServedHosts.inUrl(address));
    } catch (IOException e) {
      throw new IOException(
          "cannot serve the page at %s:%d: %s; choose another port (a demo that runs serves its own)"
              .formatted(ServedHosts.inUrl(address), port, Reason.of(e).toLowerCase(Locale.ROOT)),
          e);
    }
  }

  private static InetAddress resolved(String address) throws IOException {
    try {
      return InetAddress.getByName(address);
    } catch (UnknownHostException e) {
      throw new IOException("no address is known for " + address + ", where the page is to be", e);
    }
  }

  /** Where it is, for a browser on this machine. */
  public String url() {
    return "http://" + name + ":" + server.getAddress().getPort();
  }

  /** Answers everybody from now on. */
  public void start(PagePlaces places) {
    start(places, Optional.empty());
  }

  /** Answers from now on those whom the authenticator lets in, if there is one. */
  void start(PagePlaces places, Optional<Authenticator> authenticator) {
    PageState state = new PageState(places);
    HttpContext context = server.createContext("/", exchange -> answer(exchange, state));
    authenticator.ifPresent(context::setAuthenticator);
    server.start();
  }

  private void answer(HttpExchange exchange, PageState state) throws IOException {
    try (exchange) {
      if (!hosts.serves(exchange.getRequestHeaders().getFirst("Host"))) {
        send(exchange, FORBIDDEN, TEXT, text("this page is not served under that name\n"));
      } else if (!exchange.getRequestMethod().matches("GET|HEAD")) {
        exchange.getResponseHeaders().set("Allow", "GET, HEAD");
        send(exchange, WRONG_METHOD, TEXT, text("this page is there to GET\n"));
      } else if (exchange.getRequestURI().getPath().equals(STATE)) {
        sendState(exchange, state);
      } else {
        sendFile(exchange);
      }
    }
  }

  private void sendFile(HttpExchange exchange) throws IOException {
    Optional<PageFiles.File> file = files.at(exchange.getRequestURI().getPath());
    if (file.isPresent()) {
      send(exchange, OK, file.get().type(), file.get().bytes());
    } else {
      send(exchange, NOT_FOUND, TEXT, text("there is no such page; there is one at /\n"));
    }
  }

  private static void sendState(HttpExchange exchange, PageState state) throws IOException {
    String query = exchange.getRequestURI().getRawQuery();
    Matcher known = KNOWN.matcher(query == null ? "" : query);
    byte[] json;
    try {
      json =
          known.matches()
              ? state.json(known.group(1), Long.parseLong(known.group(2)))
              : state.json("", 0);
    } catch (RuntimeException e) {
      send(exchange, FAILED, TEXT, text("the counters cannot be read: " + Reason.of(e) + "\n"));
      return;
    }
    send(exchange, OK, "application/json", json);
  }

  private static byte[] text(String words) {
    return words.getBytes(StandardCharsets.UTF_8);
  }

  private static void send(HttpExchange exchange, int status, String type, byte[] bytes)
      throws IOException {
    Headers headers = exchange.getResponseHeaders();
    headers.set("Content-Type", type);
    headers.set("Content-Security-Policy", POLICY);
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("Referrer-Policy", "no-referrer");
    headers.set("Cross-Origin-Resource-Policy", "same-origin");
    headers.set("Cache-Control", "no-store");
    if (exchange.getRequestMethod().equals("HEAD")) {
      exchange.sendResponseHeaders(status, -1);
      return;
    }
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
