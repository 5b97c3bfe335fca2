// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.deployment.job;

import dev.flowstone.monitoring.stats.Health;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The health of the job that runs in this process, by its metrics. One thread. */
final class JobHealth {
  /** A restart, the only other state here, prints a line of its own. */
  private static final String STATE = "RUNNING";

  private final Optional<Duration> checkpointInterval;
  private boolean hasBegun;
  private long beganNs;
  private long knownCheckpoints;
  private long latestCheckpointNs;

  JobHealth(Optional<Duration> checkpointInterval) {
    this.checkpointInterval = checkpointInterval;
  }

  /** Called when Flink has the job; later calls have no effect. */
  void begin(long nowNs) {
    if (!hasBegun) {
      hasBegun = true;
      beganNs = nowNs;
      latestCheckpointNs = nowNs;
    }
  }

  Health at(long nowNs) {
    return new Health(
        STATE,
        Duration.ofNanos(nowNs - beganNs),
        rings(),
        sinks(),
        checkpointInterval.map(
            interval -> new Health.Checkpoints(interval, sinceLatestCheckpoint(nowNs))));
  }

  /** Empty: no source runs, for example because the job ends. */
  private static Optional<Health.Rings> rings() {
    if (JobMetrics.byOperator("ringsAssigned", Long::sum).isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new Health.Rings(
            JobMetrics.sumOfLive("ringsAssigned"),
            JobMetrics.sumOfLive("waitingForRing"),
            JobMetrics.sumOfLive("backlogSlots"),
            JobMetrics.byOperator("unreadMs", Math::max).values().stream()
                .mapToLong(Long::longValue)
                .max()
                .orElse(0)));
  }

  private static List<Health.Sink> sinks() {
    Map<String, Long> unconfirmed = JobMetrics.byOperator("unconfirmed", Long::sum);
    List<Health.Sink> sinks = new ArrayList<>();
    JobMetrics.byOperator("unconfirmedMs", Math::max)
        .forEach(
            (operator, silenceMs) ->
                sinks.add(
                    new Health.Sink(operator, unconfirmed.getOrDefault(operator, 0L), silenceMs)));
    return sinks;
  }

  private Duration sinceLatestCheckpoint(long nowNs) {
    long checkpoints = JobMetrics.sum("numberOfCompletedCheckpoints");
    if (checkpoints != knownCheckpoints) {
      knownCheckpoints = checkpoints;
      latestCheckpointNs = nowNs;
    }
    return Duration.ofNanos(nowNs - latestCheckpointNs);
  }
}
