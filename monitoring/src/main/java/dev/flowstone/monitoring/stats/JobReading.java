// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.monitoring.stats;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The counters and gauges of a job, read once.
 *
 * @param tasks in Flink's order
 */
public record JobReading(List<Task> tasks) {
  /** Of a source: its rings, those whose files are missing, and the packets that wait in them. */
  private static final String RINGS = "ringsAssigned";

  private static final String MISSING = "waitingForRing";
  private static final String BACKLOG = "backlogSlots";
  private static final String UNREAD_MS = "unreadMs";

  /** Of sinks. */
  private static final String UNCONFIRMED = "unconfirmed";

  private static final String SILENCE_MS = "unconfirmedMs";

  private static final Set<String> OF_HEALTH =
      Set.of(RINGS, MISSING, BACKLOG, UNREAD_MS, UNCONFIRMED, SILENCE_MS);

  /**
   * The metrics of a task over all its subtasks.
   *
   * @param sums by the metric's name, {@code Rules.rule.web.packetsOfRule}
   * @param maxima of the same metrics
   */
  record Task(Map<String, Long> sums, Map<String, Long> maxima) {}

  /**
   * Whether a reading contains the metric.
   *
   * @param name without operator and scopes
   */
  static boolean contains(String name) {
    return KnownStage.isCounter(name) || OF_HEALTH.contains(name);
  }

  /** The known stages with what they counted, in the order of the packets' way. */
  public List<OperatorCounters> stages() {
    return OperatorCounters.known(operators(KnownStage::isCounter).toList());
  }

  /** Empty: no source of Flowstone's is there, or its tasks do not run yet. */
  Optional<Health.Rings> rings() {
    List<OperatorCounters> sources =
        operators(OF_HEALTH::contains).filter(each -> each.has(RINGS)).toList();
    if (sources.isEmpty()) {
      return Optional.empty();
    }
    long unreadMs =
        tasks.stream()
            .flatMap(task -> named(task.maxima, UNREAD_MS::equals).values().stream())
            .mapToLong(Long::longValue)
            .max()
            .orElse(0);
    return Optional.of(
        new Health.Rings(
            sum(sources, RINGS), sum(sources, MISSING), sum(sources, BACKLOG), unreadMs));
  }

  /** Those that send to Kafka or QuestDB. */
  List<Health.Sink> sinks() {
    List<Health.Sink> sinks = new ArrayList<>();
    for (Task task : tasks) {
      for (OperatorCounters each :
          OperatorCounters.ofTask(named(task.maxima, SILENCE_MS::equals))) {
        sinks.add(
            new Health.Sink(
                each.title(),
                task.sums.getOrDefault(each.name() + "." + UNCONFIRMED, 0L),
                each.sum(List.of(SILENCE_MS))));
      }
    }
    return sinks;
  }

  private Stream<OperatorCounters> operators(Predicate<String> names) {
    return tasks.stream()
        .flatMap(task -> OperatorCounters.ofTask(named(task.sums, names)).stream());
  }

  private static Map<String, Long> named(Map<String, Long> metrics, Predicate<String> names) {
    Map<String, Long> named = new LinkedHashMap<>();
    metrics.forEach(
        (name, value) -> {
          if (names.test(OperatorCounters.lastWord(name))) {
            named.put(name, value);
          }
        });
    return named;
  }

  private static long sum(List<OperatorCounters> operators, String name) {
    return operators.stream().mapToLong(each -> each.sum(List.of(name))).sum();
  }
}
