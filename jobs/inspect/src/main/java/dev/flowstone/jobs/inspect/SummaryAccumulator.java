// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.inspect;

import org.apache.flink.api.common.accumulators.Accumulator;

/**
 * Carries the subtasks' summaries to the client; Flink merges them. A subtask sets it once, at its
 * end: Flink may look at it at any time, and what it holds never changes.
 */
final class SummaryAccumulator implements Accumulator<TrafficSummary, TrafficSummary> {
  private volatile TrafficSummary summary = TrafficSummary.EMPTY;

  @Override
  public void add(TrafficSummary more) {
    summary = summary.plus(more);
  }

  @Override
  public TrafficSummary getLocalValue() {
    return summary;
  }

  @Override
  public void resetLocal() {
    summary = TrafficSummary.EMPTY;
  }

  @Override
  public void merge(Accumulator<TrafficSummary, TrafficSummary> other) {
    add(other.getLocalValue());
  }

  @Override
  public SummaryAccumulator clone() {
    SummaryAccumulator copy = new SummaryAccumulator();
    copy.add(summary);
    return copy;
  }
}
