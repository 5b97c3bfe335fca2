// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.kafka;

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** What a QuestDB has in its tables, when all that it confirmed stands there. */
public final class QuestDbTables implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final int OK = 200;

  private final URI address;
  private final HttpClient client = HttpClient.newHttpClient();

  public QuestDbTables(URI address) {
    this.address = address;
  }

  /** Waits until no row of the table is on its way any more. */
  public void awaitAllRows(String table) throws Exception {
    while (!ask("SELECT count() FROM wal_tables() WHERE name = '%s' AND writerTxn < sequencerTxn"
            .formatted(table))
        .getLast()
        .equals("0")) {
      Thread.sleep(100);
    }
  }

  /** An answer as lines of CSV, without that of the names. */
  public List<String> ask(String query) throws Exception {
    HttpResponse<String> answer = send(query);
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    // It gives its own writers a second to let a reader in.
    while (answer.body().contains("timeout") && System.nanoTime() - deadlineNs < 0) {
      Thread.sleep(1_000);
      answer = send(query);
    }
    if (answer.statusCode() != OK) {
      throw new AssertionError(
          "%s; its tables: %s".formatted(answer.body(), send("wal_tables()").body()));
    }
    return answer.body().lines().skip(1).toList();
  }

  private HttpResponse<String> send(String query) throws Exception {
    URI question =
        address.resolve("/exp?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8));
    return client.send(
        HttpRequest.newBuilder(question).build(), HttpResponse.BodyHandlers.ofString());
  }

  @Override
  public void close() {
    client.close();
  }
}
