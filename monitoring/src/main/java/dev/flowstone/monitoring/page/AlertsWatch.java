// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** The alerts of a job, each as it was told of last. */
record AlertsWatch(QuestDb store, ShownJob job) {
  /** More than anybody reads; with one more it is known that there are. */
  static final int MOST = 200;

  private static final String CLOSED = "closed";

  /**
   * What is shown at once.
   *
   * @param isCut there are more: closed ones are left out before others, older ones before newer
   */
  record View(List<Alert> alerts, boolean isCut) {}

  /**
   * An alert as results have it.
   *
   * @param time of the packets, UTC
   * @param state opened, updated or closed
   * @param timesLimit how far above it the worst window was
   */
  record Alert(
      String id,
      String time,
      String state,
      String rule,
      String detector,
      String subject,
      double timesLimit,
      String explanation) {}

  /** The newest first; of one moment the gravest. */
  View look() throws IOException, InterruptedException {
    String query =
        "SELECT * FROM (SELECT * FROM alert WHERE job = %s LATEST ON time PARTITION BY id) ORDER BY CASE WHEN state = '%s' THEN 1 ELSE 0 END, time DESC LIMIT %d"
            .formatted(QuestDb.quoted(job.name()), CLOSED, MOST + 1);
    List<Map<String, JsonNode>> rows = store.rows(query);
    return new View(
        rows.stream()
            .limit(MOST)
            .map(AlertsWatch::alert)
            .sorted(
                Comparator.comparing((Alert alert) -> Instant.parse(alert.time))
                    .thenComparingDouble(Alert::timesLimit)
                    .reversed())
            .toList(),
        rows.size() > MOST);
  }

  private static Alert alert(Map<String, JsonNode> row) {
    double limit = Math.max(1, value(row, "limit").asDouble());
    double worst = Math.max(value(row, "peak").asDouble(), value(row, "observed").asDouble());
    return new Alert(
        value(row, "id").asText(),
        value(row, "time").asText(),
        value(row, "state").asText(),
        value(row, "rule").asText(),
        value(row, "detector").asText(),
        value(row, "subject").asText(),
        worst / limit,
        value(row, "explanation").asText());
  }

  private static JsonNode value(Map<String, JsonNode> row, String column) {
    return row.getOrDefault(column, MissingNode.getInstance());
  }
}
