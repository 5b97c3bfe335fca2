// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.stages;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.runtime.metrics.groups.AbstractMetricGroup;
import org.apache.flink.runtime.metrics.scope.ScopeFormat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One subtask of one operator, in one attempt, and its counters. Any thread. */
final class Stage {
  private static final Logger LOG = LoggerFactory.getLogger(Stage.class);

  /** Rules may be 4,096 at a time, and Flink forgets no counter of those that are gone. */
  static final int MOST_SCOPES = 1 << 14;

  /**
   * Who it is, as Flink's own reporters are told.
   *
   * @param attempt the id of one: two attempts are two stages
   */
  record Identity(String jobId, String job, String stage, int subtask, String attempt) {
    static Optional<Identity> of(MetricGroup group) {
      Map<String, String> facts = group.getAllVariables();
      String jobId = facts.get(ScopeFormat.SCOPE_JOB_ID);
      String stage = facts.get(ScopeFormat.SCOPE_OPERATOR_NAME);
      String subtask = facts.get(ScopeFormat.SCOPE_TASK_SUBTASK_INDEX);
      return jobId == null || stage == null || subtask == null
          ? Optional.empty()
          : Optional.of(
              new Identity(
                  jobId,
                  facts.getOrDefault(ScopeFormat.SCOPE_JOB_NAME, ""),
                  stage,
                  Integer.parseInt(subtask),
                  facts.getOrDefault(ScopeFormat.SCOPE_TASK_ATTEMPT_ID, "")));
    }
  }

  private final Identity identity;
  private final BooleanSupplier closed;
  private final long sinceMs;
  private final Map<StageScope, Map<String, Supplier<?>>> scopes = new LinkedHashMap<>();
  private long toldInterval = Long.MIN_VALUE;
  private boolean full;

  Stage(Identity identity, BooleanSupplier closed, long sinceMs) {
    this.identity = identity;
    this.closed = closed;
    this.sinceMs = sinceMs;
  }

  /**
   * Tells whether Flink has taken the metrics of an operator back, which it does when the task has
   * ended, however that was. Groups of sources and sinks do not say, but those below them do.
   */
  static BooleanSupplier closing(MetricGroup group) {
    return group instanceof AbstractMetricGroup<?> known
        ? known::isClosed
        : group.addGroup("stage") instanceof AbstractMetricGroup<?> below
            ? below::isClosed
            : () -> true;
  }

  boolean isClosed() {
    return closed.getAsBoolean();
  }

  synchronized void add(StageScope scope, String name, Supplier<?> value) {
    Map<String, Supplier<?>> known = scopes.get(scope);
    if (known == null) {
      if (scopes.size() >= MOST_SCOPES) {
        sayThatItIsFull();
        return;
      }
      known = new LinkedHashMap<>();
      scopes.put(scope, known);
    }
    // Flink keeps the first of two metrics of one name.
    known.putIfAbsent(name, value);
  }

  private void sayThatItIsFull() {
    if (!full) {
      full = true;
      LOG.warn(
          "{} has counters for more than {} rules and rings: what it tells as results leaves the"
              + " later ones out; Flink's metrics have them",
          identity.stage(),
          MOST_SCOPES);
    }
  }

  /**
   * What it has counted, unless that was told for this interval, or for a later one by whoever was
   * not as late. What was told for one that is to come was told before the clock was set back.
   *
   * @param current the interval that the clock is in
   */
  synchronized List<StageCounts> due(long interval, long current) {
    if (interval <= toldInterval && toldInterval <= current) {
      return List.of();
    }
    toldInterval = interval;
    return counts();
  }

  synchronized List<StageCounts> counts() {
    List<StageCounts> counts = new ArrayList<>(scopes.size());
    scopes.forEach(
        (scope, values) ->
            counts.add(
                new StageCounts(
                    identity.job(),
                    identity.stage(),
                    identity.subtask(),
                    sinceMs,
                    scope,
                    numbers(values))));
    return counts;
  }

  private static SortedMap<String, Number> numbers(Map<String, Supplier<?>> values) {
    SortedMap<String, Number> numbers = new TreeMap<>();
    values.forEach((name, value) -> number(value).ifPresent(is -> numbers.put(name, is)));
    return numbers;
  }

  /** Another task's gauge may fail while that ends, and may be no number. */
  private static Optional<Number> number(Supplier<?> value) {
    Object is;
    try {
      is = value.get();
    } catch (RuntimeException ending) {
      return Optional.empty();
    }
    return switch (is) {
      case Double real -> Optional.of(real);
      case Float real -> Optional.of(real.doubleValue());
      case Number whole -> Optional.of(whole.longValue());
      case Boolean yes -> Optional.of(yes ? 1L : 0L);
      case null, default -> Optional.empty();
    };
  }
}
