// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.testbed.browser;

import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A job as Flink's REST interface tells of it, with counters that a test says. While it moves each
 * look finds it a second further, however much time has passed: what is to be seen is known.
 * Whoever starts it closes it. Any thread.
 */
public final class ScriptedJob implements AutoCloseable {
  public static final String NAME = "the job";

  /** What the page asks for first, once at each look. */
  private static final String LOOK = "/taskmanagers";

  private static final String COUNTERS = "/jobs/a/vertices/all/subtasks/metrics";
  private static final String RULES = "/jobs/a/vertices/all/jm-operator-metrics";
  private static final long MS_PER_SECOND = 1_000;

  private final ScriptedServer server;
  private final Map<String, Long> eachSecond;
  private final Map<String, Long> atOnce = new HashMap<>();
  private final Map<String, Long> ofRules = new TreeMap<>();
  private String state = "RUNNING";
  private boolean isMoving = true;
  private long seconds;

  /**
   * @param eachSecond what it counts in a second of its own, by counters as Flink's REST interface
   *     names them
   */
  public ScriptedJob(Map<String, Long> eachSecond) throws IOException {
    this.eachSecond = new TreeMap<>(eachSecond);
    server = new ScriptedServer(asked -> Optional.of(answer(asked)));
  }

  public String url() {
    return server.url();
  }

  private synchronized String answer(String asked) {
    if (asked.equals(LOOK)) {
      seconds += isMoving ? 1 : 0;
    }
    // A list of counters is asked for by all their names.
    if (asked.startsWith(COUNTERS)) {
      return metrics(counters());
    }
    return asked.startsWith(RULES) ? metrics(ofRules) : told(asked);
  }

  private String told(String asked) {
    return switch (asked) {
      case "/jobs/overview" ->
          "{\"jobs\": [{\"jid\": \"a\", \"name\": \"%s\", \"state\": \"%s\", \"start-time\": 1000}]}"
              .formatted(NAME, state);
      case LOOK -> "{\"taskmanagers\": []}";
      // After four times that without news nothing moves any more.
      case "/jobmanager/config" ->
          "[{\"key\": \"metrics.fetcher.update-interval\", \"value\": \"100 ms\"}]";
      case "/jobs/a" -> "{\"vertices\": [{\"id\": \"all\"}]}";
      case "/jobs/a/metrics?get=runningTime,numRestarts" ->
          metrics(Map.of("runningTime", seconds * MS_PER_SECOND));
      default -> "[]";
    };
  }

  private Map<String, Long> counters() {
    Map<String, Long> counters = new TreeMap<>();
    eachSecond.forEach(
        (name, count) -> counters.put(name, seconds * count + atOnce.getOrDefault(name, 0L)));
    return counters;
  }

  /** What is asked for in one way is told as {@code value}, in another as {@code sum}. */
  private static String metrics(Map<String, Long> counts) {
    return counts.entrySet().stream()
        .map(
            each ->
                "{\"id\": \"%s\", \"value\": \"%d\", \"sum\": %d}"
                    .formatted(each.getKey(), each.getValue(), each.getValue()))
        .collect(Collectors.joining(",", "[", "]"));
  }

  /** What the coordinator of its rules tells from now on. */
  public synchronized void tellOfRules(long version, long waiting, long refused) {
    ofRules.put("Rules.rulesVersion", version);
    ofRules.put("Rules.rulesWaiting", waiting);
    ofRules.put("Rules.rulesRefused", refused);
  }

  /** As if it had counted these, too, from its begin on. */
  public synchronized void alsoCount(Map<String, Long> more) {
    eachSecond.putAll(more);
  }

  /** Nothing moves any more, after so many seconds of its own. */
  public synchronized long rest() {
    isMoving = false;
    return seconds;
  }

  /** One second more, in which some counters grow more or less than each second. */
  public synchronized long goOn(Map<String, Long> more) {
    atOnce.putAll(more);
    return ++seconds;
  }

  /** It has come to its end, and Flink has forgotten what it counted. */
  public synchronized void end() {
    state = "FINISHED";
  }

  @Override
  public void close() {
    server.close();
  }
}
