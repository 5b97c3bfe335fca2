// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** What a QuestDB has in its tables, when all that it confirmed stands there. */
final class QuestDbTables implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofMinutes(5);

  private final URI address;
  private final HttpClient client = HttpClient.newHttpClient();

  QuestDbTables(URI address) {
    this.address = address;
  }

  /** Waits until no row of the table is on its way any more. */
  void awaitAllRows(String table) throws Exception {
    while (!ask("SELECT count() FROM wal_tables() WHERE name = '%s' AND writerTxn < sequencerTxn"
            .formatted(table))
        .getLast()
        .equals("0")) {
      Thread.sleep(100);
    }
  }

  /** An answer as lines of CSV, without that of the names. */
  List<String> ask(String query) throws Exception {
    URI question =
        address.resolve("/exp?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8));
    HttpRequest request = HttpRequest.newBuilder(question).build();
    HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
    long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    // It gives its own writers a second to let a reader in.
    while (answer.body().contains("timeout") && System.nanoTime() - deadlineNs < 0) {
      Thread.sleep(1_000);
      answer = client.send(request, HttpResponse.BodyHandlers.ofString());
    }
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer.body().lines().skip(1).toList();
  }

  @Override
  public void close() {
    client.close();
  }
}
