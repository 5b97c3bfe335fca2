// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.stats;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flowstone.deployment.cluster.ClusterView;
import java.io.IOException;
import java.net.URLEncoder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.util.TimeUtils;

/**
 * Reads the counters of a job from Flink's REST interface: of each vertex once what there is, then
 * all that is known at once.
 */
final class JobCounters {
  /** Flink's server takes no longer first line of a request than 4,096 characters. */
  private static final int LONGEST_LIST = 3_500;

  private final ClusterView cluster;
  private final String path;

  JobCounters(ClusterView cluster, String jobId) {
    this.cluster = cluster;
    path = "/jobs/" + jobId;
  }

  /** How old the answers may be: Flink asks its processes no more often. */
  Duration age() throws IOException, InterruptedException {
    String key = MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL.key();
    for (JsonNode entry : get("/jobmanager/config")) {
      if (entry.path("key").asText().equals(key)) {
        return TimeUtils.parseDuration(entry.path("value").asText());
      }
    }
    return MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL.defaultValue();
  }

  /** How often Flink has started it again: its counters began anew then. */
  long restarts() throws IOException, InterruptedException {
    JsonNode metrics = get(path + "/metrics?get=numRestarts");
    return metrics.path(0).path("value").asLong();
  }

  /** Of its known stages, in the order of the packets' way. */
  List<OperatorCounters> read() throws IOException, InterruptedException {
    List<OperatorCounters> operators = new ArrayList<>();
    for (JsonNode vertex : get(path).path("vertices")) {
      operators.addAll(OperatorCounters.ofTask(task(vertex.path("id").asText())));
    }
    return operators.stream()
        .filter(operator -> KnownStage.of(operator).isPresent())
        .sorted(
            (one, other) ->
                KnownStage.of(one).orElseThrow().compareTo(KnownStage.of(other).orElseThrow()))
        .toList();
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
