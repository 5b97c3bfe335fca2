// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.flink;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Where a job stands that ought to be further: its tasks, checkpoints and failures, short enough to
 * be read whole in a log. Every thread is in a file.
 */
final class JobStanding {
  private static final int MOST_NAME = 40;
  private static final int MOST_FRAMES = 4;
  private static final int MOST_CAUSE = 300;

  private JobStanding() {}

  static String of(String job, FlinkRest flink) throws Exception {
    List<String> threads = threads(flink);
    Path file = Files.write(Path.of("target", "threads-of-" + job + ".txt"), threads);
    StringBuilder said = new StringBuilder("threads in ").append(file.toAbsolutePath());
    JsonNode checkpoints = flink.get("/jobs/" + job + "/checkpoints");
    said.append("\ncheckpoints ").append(checkpoints.path("counts"));
    String failedCheckpoint =
        checkpoints.path("latest").path("failed").path("failure_message").asText();
    said.append(", the last that failed: ").append(beginning(failedCheckpoint, MOST_CAUSE));
    for (JsonNode vertex : flink.get("/jobs/" + job).path("vertices")) {
      String name = beginning(vertex.path("name").asText(), MOST_NAME);
      said.append('\n').append(name).append(' ').append(states(vertex));
      for (String frame : ownFrames(name, threads)) {
        said.append("\n  ").append(frame);
      }
    }
    String exceptions = "/jobs/" + job + "/exceptions";
    for (JsonNode failure : flink.get(exceptions).path("exceptionHistory").path("entries")) {
      said.append("\nfailed at ").append(Instant.ofEpochMilli(failure.path("timestamp").asLong()));
      said.append(": ").append(firstAndLast(failure.path("stacktrace").asText().lines().toList()));
    }
    return said.toString();
  }

  private static List<String> threads(FlinkRest flink) throws Exception {
    StringBuilder threads = new StringBuilder();
    addThreads(threads, "/jobmanager", flink);
    for (JsonNode taskManager : flink.get("/taskmanagers").path("taskmanagers")) {
      addThreads(threads, "/taskmanagers/" + taskManager.path("id").asText(), flink);
    }
    return threads.toString().lines().toList();
  }

  /** One that is listed may be dead: then the rest of what is known is all there is. */
  private static void addThreads(StringBuilder threads, String process, FlinkRest flink)
      throws Exception {
    threads.append(process).append('\n');
    try {
      for (JsonNode thread : flink.get(process + "/thread-dump").path("threadInfos")) {
        threads.append(thread.path("stringifiedThreadInfo").asText());
      }
    } catch (IOException | AssertionError silent) {
      threads.append(silent).append('\n');
    }
  }

  /** How many of its tasks are in each state, but for states that none is in. */
  private static String states(JsonNode vertex) {
    return vertex.path("tasks").properties().stream()
        .filter(state -> state.getValue().asInt() > 0)
        .map(Map.Entry::toString)
        .collect(Collectors.joining(", "));
  }

  /** Where its first task is in our own code. */
  private static List<String> ownFrames(String name, List<String> threads) {
    return threads.stream()
        .dropWhile(line -> !line.startsWith('"' + name))
        .skip(1)
        .takeWhile(line -> !line.startsWith("\""))
        .filter(line -> line.contains("dev.flowstone."))
        .limit(MOST_FRAMES)
        .map(String::strip)
        .toList();
  }

  private static String firstAndLast(List<String> trace) {
    return trace.stream().findFirst().orElse("without a trace")
        + trace.stream()
            .filter(line -> line.startsWith("Caused by"))
            .reduce((_, last) -> last)
            .map(cause -> "; " + beginning(cause, MOST_CAUSE))
            .orElse("");
  }

  private static String beginning(String text, int most) {
    return text.substring(0, Math.min(most, text.length()));
  }
}
