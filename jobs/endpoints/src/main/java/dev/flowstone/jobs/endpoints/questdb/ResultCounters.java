// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.endpoints.questdb;

import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.ThreadSafeSimpleCounter;

/**
 * The account of one attempt of a subtask: received = written + dead-lettered + waiting. What it
 * takes over from a checkpoint counts as received.
 */
record ResultCounters(
    Counter received, Counter written, Counter deadLettered, Counter commitRetries) {

  static ResultCounters in(MetricGroup metrics) {
    return new ResultCounters(
        metrics.counter("resultsReceived", new ThreadSafeSimpleCounter()),
        metrics.counter("resultsWritten", new ThreadSafeSimpleCounter()),
        metrics.counter("resultsDeadLettered", new ThreadSafeSimpleCounter()),
        metrics.counter("commitRetries", new ThreadSafeSimpleCounter()));
  }
}
