// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.page;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.flowstone.monitoring.ClusterView.Job;
import dev.flowstone.monitoring.stats.OperatorCounters;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * What the stages of a job reported last, as QuestDB has it. Flink forgets the counters of a task
 * that has ended; a job that comes to its end reports once more. One thread.
 */
final class ReportedStages {
  /** The clock that a job's start is told by need not be that of its tasks. */
  private static final Duration CLOCKS_APART = Duration.ofSeconds(2);

  /**
   * What has not changed for so long is all there is: QuestDB shows rows a while after it has them.
   */
  static final Duration SETTLED = Duration.ofSeconds(5);

  private static final String EVERY_RULE = "*";
  private static final String SINCE = "since_ns";
  private static final Set<String> NO_COUNTERS = Set.of(SINCE, "last");
  private static final Pattern WORD = Pattern.compile("_([a-z0-9])");

  /** Which Flink's REST interface does not have in a name, as it has them. */
  private static final Pattern REPLACED = Pattern.compile("[ .:,]");

  private final QuestDb store;
  private String jobId = "";
  private List<OperatorCounters> told = List.of();
  private boolean areLast;
  private boolean isSettled;
  private long changedNs;

  ReportedStages(QuestDb store) {
    this.store = store;
  }

  /** As Flink's REST interface would tell them; none: that job has reported nothing. */
  List<OperatorCounters> of(Job job, long nowNs) throws IOException, InterruptedException {
    if (!job.id().equals(jobId)) {
      jobId = job.id();
      told = List.of();
      isSettled = false;
    }
    if (!isSettled) {
      List<OperatorCounters> now = asked(job);
      boolean isOld = now.equals(told) && !now.isEmpty();
      changedNs = isOld ? changedNs : nowNs;
      isSettled = isOld && nowNs - changedNs > SETTLED.toNanos();
      told = now;
    }
    return told;
  }

  /**
   * Whether that is all which the job will have counted: it told so itself, and was asked again
   * later. One that was cancelled, or stopped with a savepoint, told nothing at its end.
   */
  boolean areWhole() {
    return isSettled && areLast;
  }

  private List<OperatorCounters> asked(Job job) throws IOException, InterruptedException {
    // Those of an earlier job of that name had begun before.
    Instant from = Instant.ofEpochMilli(job.startMs()).minus(CLOCKS_APART);
    String query =
        ("SELECT * FROM stage WHERE job = %s AND time >= '%s' AND since_ns >= %d"
                + " LATEST ON time PARTITION BY rule, result_key")
            .formatted(
                QuestDb.quoted(job.name()),
                from,
                TimeUnit.MILLISECONDS.toNanos(from.toEpochMilli()));
    List<Map<String, JsonNode>> rows = ofLatestAttempts(store.rows(query));
    areLast = rows.stream().allMatch(row -> number(row, "last") == 1);
    Map<String, Long> counters = new LinkedHashMap<>();
    for (Map<String, JsonNode> row : rows) {
      if (text(row, "group").isEmpty()) {
        String scope = spelled(text(row, "stage")) + "." + scope(row);
        row.forEach(
            (column, value) -> {
              if (value.isIntegralNumber() && !NO_COUNTERS.contains(column)) {
                counters.merge(scope + counter(column), value.asLong(), Long::sum);
              }
            });
      }
    }
    return OperatorCounters.known(OperatorCounters.ofTask(counters));
  }

  /** A subtask that was started again counts from zero, perhaps of other rings and rules. */
  private static List<Map<String, JsonNode>> ofLatestAttempts(List<Map<String, JsonNode>> rows) {
    Map<String, Long> begins = new HashMap<>();
    rows.forEach(row -> begins.merge(subtask(row), number(row, SINCE), Math::max));
    return rows.stream().filter(row -> number(row, SINCE) == begins.get(subtask(row))).toList();
  }

  private static String subtask(Map<String, JsonNode> row) {
    return text(row, "stage") + "\0" + text(row, "subtask");
  }

  private static long number(Map<String, JsonNode> row, String column) {
    return row.getOrDefault(column, MissingNode.getInstance()).asLong();
  }

  private static String scope(Map<String, JsonNode> row) {
    if (!text(row, "rule").equals(EVERY_RULE)) {
      return "rule." + spelled(text(row, "rule")) + ".";
    }
    return text(row, "ring").isEmpty()
        ? ""
        : "taprings." + spelled(text(row, "taprings")) + ".ring." + text(row, "ring") + ".";
  }

  private static String text(Map<String, JsonNode> row, String column) {
    JsonNode value = row.getOrDefault(column, MissingNode.getInstance());
    return value.isTextual() ? value.asText() : "";
  }

  /** As Flink's REST interface has a name of an operator or a rule. */
  static String spelled(String name) {
    return REPLACED.matcher(name).replaceAll("_");
  }

  /** {@code packets_of_rule} is {@code packetsOfRule} with Flink. */
  private static String counter(String column) {
    return WORD.matcher(column).replaceAll(word -> word.group(1).toUpperCase(Locale.ROOT));
  }
}
