// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.stats;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flowstone.monitoring.ClusterView;
import java.io.IOException;
import java.net.URLEncoder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.util.TimeUtils;

/**
 * Reads the counters of a job from Flink's REST interface: of each vertex once what there is, then
 * all that is known at once.
 */
public final class JobCounters {
  /** Flink's server takes no longer first line of a request than 4,096 characters. */
  private static final int LONGEST_LIST = 3_500;

  private static final String RULES_VERSION = "rulesVersion";
  private static final String RULES_WAITING = "rulesWaiting";
  private static final String RULES_REFUSED = "rulesRefused";
  private static final Set<String> RULES_NEWS = Set.of(RULES_VERSION, RULES_WAITING, RULES_REFUSED);

  private final ClusterView cluster;
  private final String path;

  public JobCounters(ClusterView cluster, String jobId) {
    this.cluster = cluster;
    path = "/jobs/" + jobId;
  }

  /** How old the answers may be: Flink asks its processes no more often. */
  public Duration age() throws IOException, InterruptedException {
    String key = MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL.key();
    for (JsonNode entry : get("/jobmanager/config")) {
      if (entry.path("key").asText().equals(key)) {
        return TimeUtils.parseDuration(entry.path("value").asText());
      }
    }
    return MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL.defaultValue();
  }

  /** Flink asks its processes when it is asked itself, and answers what it knew before. */
  void ask() throws IOException, InterruptedException {
    get(path + "/metrics");
  }

  /** How often Flink has started it again: its counters began anew then. */
  public long restarts() throws IOException, InterruptedException {
    JsonNode metrics = get(path + "/metrics?get=numRestarts");
    return metrics.path(0).path("value").asLong();
  }

  /**
   * So long it has run since it was started last. Flink tells it and the counters of one moment:
   * while it stands still, so do they.
   */
  public Duration running() throws IOException, InterruptedException {
    JsonNode metrics = get(path + "/metrics?get=runningTime");
    return Duration.ofMillis(metrics.path(0).path("value").asLong());
  }

  /**
   * What the coordinator of its rules tells.
   *
   * @param version of those in force; 0: nothing is known of any
   * @param waiting newer sets that wait for what they need
   * @param refused changes that were none that the job can do, since its JobManager has it
   */
  public record RulesNews(long version, long waiting, long refused) {}

  public RulesNews rules() throws IOException, InterruptedException {
    Map<String, Long> told = new HashMap<>();
    for (JsonNode vertex : get(path).path("vertices")) {
      String metrics = path + "/vertices/" + vertex.path("id").asText() + "/jm-operator-metrics";
      List<String> names = new ArrayList<>();
      for (JsonNode metric : get(metrics)) {
        String id = metric.path("id").asText();
        if (RULES_NEWS.contains(OperatorCounters.lastWord(id))) {
          names.add(URLEncoder.encode(id, UTF_8));
        }
      }
      if (!names.isEmpty()) {
        for (JsonNode metric : get(metrics + "?get=" + String.join(",", names))) {
          told.put(
              OperatorCounters.lastWord(metric.path("id").asText()), metric.path("value").asLong());
        }
      }
    }
    return new RulesNews(
        told.getOrDefault(RULES_VERSION, 0L),
        told.getOrDefault(RULES_WAITING, 0L),
        told.getOrDefault(RULES_REFUSED, 0L));
  }

  /** Of its known stages, in the order of the packets' way. */
  public List<OperatorCounters> read() throws IOException, InterruptedException {
    List<OperatorCounters> operators = new ArrayList<>();
    for (JsonNode vertex : get(path).path("vertices")) {
      operators.addAll(OperatorCounters.ofTask(task(vertex.path("id").asText())));
    }
    return OperatorCounters.known(operators);
  }

  private Map<String, Long> task(String vertex) throws IOException, InterruptedException {
    String metrics = path + "/vertices/" + vertex + "/subtasks/metrics";
    Map<String, Long> values = new LinkedHashMap<>();
    for (String list : lists(get(metrics))) {
      for (JsonNode metric : get(metrics + "?agg=sum&get=" + list)) {
        values.put(metric.path("id").asText(), metric.path("sum").asLong());
      }
    }
    return values;
  }

  /** The names of known counters, in as few lists as fit. */
  private static List<String> lists(JsonNode metrics) {
    List<String> lists = new ArrayList<>();
    StringBuilder list = new StringBuilder();
    for (JsonNode metric : metrics) {
      String id = metric.path("id").asText();
      if (KnownStage.isCounter(OperatorCounters.lastWord(id))) {
        String name = URLEncoder.encode(id, UTF_8);
        if (list.length() + name.length() > LONGEST_LIST) {
          lists.add(list.toString());
          list.setLength(0);
        }
        list.append(list.isEmpty() ? "" : ",").append(name);
      }
    }
    if (!list.isEmpty()) {
      lists.add(list.toString());
    }
    return lists;
  }

  private JsonNode get(String what) throws IOException, InterruptedException {
    return cluster
        .ask(what)
        .orElseThrow(
            () -> new IOException("Flink at " + cluster.address() + " does not say " + what));
  }
}
