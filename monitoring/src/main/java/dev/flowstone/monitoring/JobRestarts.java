// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring;

import com.fasterxml.jackson.databind.JsonNode;
import dev.flowstone.commandline.EscapedText;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * That Flink has started a job again: how often, when and why it failed last, and since when it
 * runs again.
 *
 * @param count 0: it runs as it was started
 * @param failed when the latest failure was; empty: Flink knows of none
 * @param why in one line
 * @param runsSince when the last of its subtasks ran again; empty: they do not all run yet
 * @param checkpoint the number of that which it went on from; empty: from none
 */
public record JobRestarts(
    long count,
    Optional<Instant> failed,
    String why,
    Optional<Instant> runsSince,
    OptionalLong checkpoint) {
  /** So long Flink may take to ask itself for its metrics. */
  private static final Duration ANSWER = Duration.ofMillis(300);

  /** Of a job that Flink's REST interface knows. */
  public static JobRestarts of(ClusterView cluster, String jobId) throws InterruptedException {
    String job = "/jobs/" + jobId;
    JsonNode failure = latestFailure(cluster, job);
    long count = count(cluster, job);
    if (count == 0 && !failure.isMissingNode()) {
      // What it answers is what it knew before it was asked.
      Thread.sleep(ANSWER);
      count = count(cluster, job);
    }
    JsonNode restored = at(cluster, job + "/checkpoints").path("latest").path("restored");
    return new JobRestarts(
        count,
        time(failure),
        why(failure),
        runsSince(cluster, job),
        restored.isObject() ? OptionalLong.of(restored.path("id").asLong()) : OptionalLong.empty());
  }

  /** How one that has ended failed, if it did: what else there is to tell is of jobs at work. */
  public static Optional<String> failureOf(ClusterView cluster, String jobId)
      throws InterruptedException {
    JsonNode failure = latestFailure(cluster, "/jobs/" + jobId);
    return told(time(failure), why(failure));
  }

  private static JsonNode latestFailure(ClusterView cluster, String job)
      throws InterruptedException {
    return at(cluster, job + "/exceptions?maxExceptions=1")
        .path("exceptionHistory")
        .path("entries")
        .path(0);
  }

  private static Optional<Instant> time(JsonNode failure) {
    return failure.isMissingNode()
        ? Optional.empty()
        : Optional.of(Instant.ofEpochMilli(failure.path("timestamp").asLong()));
  }

  private static String why(JsonNode failure) {
    return EscapedText.of(FailureWords.of(failure.path("stacktrace").asText()));
  }

  private static JsonNode at(ClusterView cluster, String path) throws InterruptedException {
    return cluster.ask(path).orElse(ClusterView.NOTHING);
  }

  private static long count(ClusterView cluster, String job) throws InterruptedException {
    return at(cluster, job + "/metrics?get=numRestarts").path(0).path("value").asLong();
  }

  private static Optional<Instant> runsSince(ClusterView cluster, String job)
      throws InterruptedException {
    long latestMs = 0;
    for (JsonNode vertex : at(cluster, job).path("vertices")) {
      String times = job + "/vertices/" + vertex.path("id").asText() + "/subtasktimes";
      for (JsonNode subtask : at(cluster, times).path("subtasks")) {
        long sinceMs = subtask.path("timestamps").path("RUNNING").asLong();
        if (sinceMs <= 0) {
          return Optional.empty();
        }
        latestMs = Math.max(latestMs, sinceMs);
      }
    }
    return latestMs == 0 ? Optional.empty() : Optional.of(Instant.ofEpochMilli(latestMs));
  }

  /** Of a job at work, for people; none where there is nothing to tell. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    if (count > 0) {
      lines.add(
          "restarts: %d, runs again %s"
              .formatted(count, runsSince.map(this::since).orElse("as soon as it can")));
    }
    told(failed, why).ifPresent(lines::add);
    return lines;
  }

  private static Optional<String> told(Optional<Instant> failed, String why) {
    return failed.map(time -> "%s failed: %s".formatted(time.truncatedTo(ChronoUnit.SECONDS), why));
  }

  private String since(Instant time) {
    return "since "
        + time.truncatedTo(ChronoUnit.SECONDS)
        + (checkpoint.isPresent() ? " from checkpoint " + checkpoint.getAsLong() : "");
  }
}
