// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * In which order a half-made table is taken away, made and written to: with answers that are as
 * slow as the order needs, which a real QuestDB cannot be made to give.
 */
@Timeout(30)
class HalfMadeTableTest {
  private static final String KEYS =
      "[\"time\",\"TIMESTAMP_NS\",true,true],[\"rule\",\"SYMBOL\",false,true],[\"result_key\",\"VARCHAR\",false,true]";
  private static final int OK = 200;
  private static final int NO_CONTENT = 204;
  private static final int INTERNAL_ERROR = 500;

  private final List<String> asked = new CopyOnWriteArrayList<>();
  private final CountDownLatch slowWriteHasBegun = new CountDownLatch(1);
  private final CountDownLatch slowWriteMayEnd = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private HttpServer server;
  private URI address;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/exec", this::answer);
    server.createContext("/write", this::write);
    server.start();
    address = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  @AfterEach
  void stop() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void answer(HttpExchange exchange) throws IOException {
    String sql = URLDecoder.decode(exchange.getRequestURI().getRawQuery(), UTF_8);
    asked.add(sql);
    String rows = "";
    if (sql.contains("table_columns")) {
      rows = KEYS;
    } else if (sql.contains("EXCEPT")) {
      rows = "[\"half\"]";
    }
    reply(exchange, OK, "{\"dataset\":[" + rows + "]}");
  }

  private void write(HttpExchange exchange) throws IOException {
    String lines = new String(exchange.getRequestBody().readAllBytes(), UTF_8);
    if (!lines.contains("slow")) {
      reply(exchange, INTERNAL_ERROR, "half made");
      return;
    }
    slowWriteHasBegun.countDown();
    try {
      slowWriteMayEnd.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    exchange.sendResponseHeaders(NO_CONTENT, -1);
    exchange.close();
  }

  private static void reply(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(UTF_8);
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private int write(String value) throws StoreAwayException, InterruptedException {
    try (QuestDb client = new QuestDb(address, "")) {
      String line = "half,rule=r result_key=\"%s\" 1\n".formatted(value);
      return new QuestDbStore(client, new DeadLetterLog())
          .write(new LineChunk("half", line.getBytes(UTF_8)));
    }
  }

  /** Its lines would make the table, and without keys, if they came between. */
  @Test
  void shouldTakeNoTableAwayWhileAnotherSenderWrites() throws Exception {
    CompletableFuture<Integer> slow =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return write("slow");
              } catch (StoreAwayException | InterruptedException e) {
                throw new CompletionException(e);
              }
            },
            threads);
    slowWriteHasBegun.await();
    assertThatThrownBy(() -> write("other")).isInstanceOf(TableAwayException.class);
    assertThat(asked).noneMatch(sql -> sql.contains("DROP"));

    slowWriteMayEnd.countDown();
    assertThat(slow.get(10, TimeUnit.SECONDS)).isZero();
    assertThatThrownBy(() -> write("other")).isInstanceOf(TableAwayException.class);
    assertThat(asked).anyMatch(sql -> sql.contains("DROP TABLE \"half\""));
  }
}
