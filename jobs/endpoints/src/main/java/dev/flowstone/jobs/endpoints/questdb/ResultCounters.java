// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import dev.flowstone.jobs.endpoints.delivery.Unconfirmed;
import dev.flowstone.stages.StageMetrics;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.ThreadSafeSimpleCounter;

/**
 * The account of one attempt of a subtask: received = written + dead-lettered + waiting. What it
 * takes over from a checkpoint counts as received.
 *
 * @param sentEarly left before their checkpoint completed
 * @param unconfirmed of those that may leave
 */
record ResultCounters(
    Counter received,
    Counter written,
    Counter deadLettered,
    Counter sentEarly,
    Counter commitRetries,
    Unconfirmed unconfirmed) {

  static ResultCounters in(MetricGroup operator) {
    MetricGroup metrics = StageMetrics.of(operator);
    return new ResultCounters(
        metrics.counter("resultsReceived", new ThreadSafeSimpleCounter()),
        metrics.counter("resultsWritten", new ThreadSafeSimpleCounter()),
        metrics.counter("resultsDeadLettered", new ThreadSafeSimpleCounter()),
        metrics.counter("resultsSentEarly", new ThreadSafeSimpleCounter()),
        metrics.counter("commitRetries", new ThreadSafeSimpleCounter()),
        Unconfirmed.in(operator));
  }
}
