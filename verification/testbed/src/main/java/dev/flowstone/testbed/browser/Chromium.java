// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A page in a browser without a window, asked over the DevTools protocol. Whoever opens it closes
 * it. One thread.
 */
public final class Chromium implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(2);
  private static final long POLL_INTERVAL_MS = 100;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Browser browser;
  private final Browser.Tab tab;
  private final HttpClient http = HttpClient.newHttpClient();
  private final BlockingQueue<JsonNode> messages = new LinkedBlockingQueue<>();
  private final List<String> complaints = new ArrayList<>();
  private final WebSocket socket;
  private int asked;

  private Chromium(Browser browser) throws Exception {
    this.browser = browser;
    tab = browser.openTab();
    socket =
        http.newWebSocketBuilder()
            .buildAsync(tab.socket(), new Listener(messages))
            .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  public static boolean isThere() {
    return Browser.find().isPresent();
  }

  /** Without a browser the test is skipped, and the report says so. */
  public static void require() {
    assumeTrue(isThere(), "SKIPPED: no chromium on the PATH, and apt-get could not bring it");
  }

  /** Shows that page. */
  static Chromium open(String url) throws Exception {
    Chromium page = new Chromium(Browser.shared());
    try {
      page.call("Runtime.enable", JSON.createObjectNode());
      page.call("Log.enable", JSON.createObjectNode());
      page.call("Page.navigate", JSON.createObjectNode().put("url", url));
      return page;
    } catch (Exception | AssertionError e) {
      page.close();
      throw e;
    }
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

  @Override
  public void close() {
    try {
      browser.close(tab);
    } catch (Exception e) {
      throw new IllegalStateException("a tab of the browser does not close", e);
    } finally {
      http.shutdownNow();
    }
  }
}
