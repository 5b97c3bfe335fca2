// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The latest alerts of a job, each as it was told of last. */
record AlertsWatch(QuestDb store, ShownJob job) {
  private static final int MOST = 60;

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
  List<Alert> look() throws IOException, InterruptedException {
    String query =
        "SELECT * FROM alert WHERE job = %s ORDER BY time DESC LIMIT 400"
            .formatted(QuestDb.quoted(job.name()));
    Map<String, Alert> latest = new LinkedHashMap<>();
    for (Map<String, JsonNode> row : store.rows(query)) {
      latest.putIfAbsent(value(row, "id").asText(), alert(row));
    }
    return latest.values().stream()
        .sorted(
            Comparator.comparing((Alert alert) -> Instant.parse(alert.time))
                .thenComparingDouble(Alert::timesLimit)
                .reversed())
        .limit(MOST)
        .toList();
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
