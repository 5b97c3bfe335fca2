// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.stats;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flowstone.monitoring.ClusterView;
import dev.flowstone.offheap.Reason;
import java.io.IOException;
import java.net.URLEncoder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.flink.configuration.MetricOptions;
import org.apache.flink.util.TimeUtils;

/**
 * Reads the counters of a job from Flink's REST interface, with two questions for a task: which
 * metrics it has, and what they are, or more if it has hundreds. Flink may refresh them between any
 * two answers. One thread.
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
  private List<String> vertices = List.of();
  private Optional<String> ofRules = Optional.empty();

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

  /**
   * How long and how often a job has been started.
   *
   * @param running since it was started last. Flink tells it and the counters of one moment: while
   *     it stands still, so do they.
   * @param restarts each resets the counters
   */
  public record Start(Duration running, long restarts) {}

  public Start start() throws IOException, InterruptedException {
    Map<String, Long> told = new HashMap<>();
    for (JsonNode metric : get(path + "/metrics?get=runningTime,numRestarts")) {
      told.put(metric.path("id").asText(), metric.path("value").asLong());
    }
    return new Start(
        Duration.ofMillis(told.getOrDefault("runningTime", 0L)),
        told.getOrDefault("numRestarts", 0L));
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
    if (ofRules.isEmpty()) {
      ofRules = findRules();
    }
    Map<String, Long> told = new HashMap<>();
    if (ofRules.isPresent()) {
      for (JsonNode metric : get(ofRules.get())) {
        told.put(
            OperatorCounters.lastWord(metric.path("id").asText()), metric.path("value").asLong());
      }
    }
    return new RulesNews(
        told.getOrDefault(RULES_VERSION, 0L),
        told.getOrDefault(RULES_WAITING, 0L),
        told.getOrDefault(RULES_REFUSED, 0L));
  }

  /** Returns the path of what the coordinator of the rules tells; empty: it tells nothing yet. */
  private Optional<String> findRules() throws IOException, InterruptedException {
    for (String vertex : vertices()) {
      String metrics = path + "/vertices/" + vertex + "/jm-operator-metrics";
      List<String> names = new ArrayList<>();
      for (JsonNode metric : get(metrics)) {
        String id = metric.path("id").asText();
        if (RULES_NEWS.contains(OperatorCounters.lastWord(id))) {
          names.add(URLEncoder.encode(id, UTF_8));
        }
      }
      if (names.size() >= RULES_NEWS.size()) {
        return Optional.of(metrics + "?get=" + String.join(",", names));
      }
    }
    return Optional.empty();
  }

  /** Asks for the counters and gauges of all tasks at the same time. */
  public JobReading read() throws IOException, InterruptedException {
    List<Future<JobReading.Task>> answers;
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      answers =
          threads.invokeAll(
              vertices().stream()
                  .<Callable<JobReading.Task>>map(each -> () -> task(each))
                  .toList());
    }
    List<JobReading.Task> tasks = new ArrayList<>();
    for (Future<JobReading.Task> answer : answers) {
      try {
        tasks.add(answer.get());
      } catch (ExecutionException e) {
        throw new IOException(Reason.of(e.getCause()), e);
      }
    }
    return new JobReading(tasks);
  }

  /** A job keeps its vertices for life. */
  private List<String> vertices() throws IOException, InterruptedException {
    if (vertices.isEmpty()) {
      List<String> ids = new ArrayList<>();
      get(path).path("vertices").forEach(each -> ids.add(each.path("id").asText()));
      vertices = ids;
    }
    return vertices;
  }

  private JobReading.Task task(String vertex) throws IOException, InterruptedException {
    String metrics = path + "/vertices/" + vertex + "/subtasks/metrics";
    Map<String, Long> sums = new LinkedHashMap<>();
    Map<String, Long> maxima = new LinkedHashMap<>();
    for (String list : lists(get(metrics))) {
      for (JsonNode metric : get(metrics + "?agg=sum,max&get=" + list)) {
        String name = metric.path("id").asText();
        sums.put(name, metric.path("sum").asLong());
        maxima.put(name, metric.path("max").asLong());
      }
    }
    return new JobReading.Task(sums, maxima);
  }

  /** Returns the health of the job by a reading and by the current state of the job. */
  public Health health(JobReading reading) throws IOException, InterruptedException {
    JsonNode job = get(path);
    return new Health(
        job.path("state").asText(),
        Duration.ofMillis(
            job.path("now").asLong() - job.path("timestamps").path("RUNNING").asLong()),
        reading.rings(),
        reading.sinks(),
        checkpoints(job));
  }

  private Optional<Health.Checkpoints> checkpoints(JsonNode job)
      throws IOException, InterruptedException {
    // Flink answers with status 404 if the job makes none.
    Optional<JsonNode> configured = cluster.ask(path + "/checkpoints/config");
    if (configured.isEmpty()) {
      return Optional.empty();
    }
    JsonNode latest = get(path + "/checkpoints").path("latest");
    long latestMs =
        Math.max(
            job.path("timestamps").path("RUNNING").asLong(),
            Math.max(
                latest.path("completed").path("latest_ack_timestamp").asLong(),
                latest.path("restored").path("restore_timestamp").asLong()));
    return Optional.of(
        new Health.Checkpoints(
            Duration.ofMillis(configured.get().path("interval").asLong()),
            Duration.ofMillis(job.path("now").asLong() - latestMs)));
  }

  /** The names of what is read, in as few lists as fit. */
  private static List<String> lists(JsonNode metrics) {
    List<String> lists = new ArrayList<>();
    StringBuilder list = new StringBuilder();
    for (JsonNode metric : metrics) {
      String id = metric.path("id").asText();
      if (JobReading.contains(OperatorCounters.lastWord(id))) {
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
