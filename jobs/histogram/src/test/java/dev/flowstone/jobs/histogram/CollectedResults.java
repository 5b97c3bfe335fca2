// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.histogram;

import dev.flowstone.operators.histogram.HistogramResult;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.state.CheckpointListener;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/** What a job in this process sent; fails the job as often as it is asked to. */
final class CollectedResults
    implements MapFunction<HistogramResult, HistogramResult>, CheckpointListener {
  private static final long serialVersionUID = 1L;

  static final Queue<HistogramResult> ALL = new ConcurrentLinkedQueue<>();

  /** Each when another few checkpoints have been completed. */
  static final AtomicInteger FAILURES_LEFT = new AtomicInteger();

  private static final int CHECKPOINTS = 3;

  private transient int checkpoints;

  private CollectedResults() {}

  static void collect(DataStream<HistogramResult> results) {
    results
        .map(new CollectedResults())
        .returns(HistogramResult.class)
        .sinkTo(new DiscardingSink<>());
  }

  @Override
  public HistogramResult map(HistogramResult result) {
    ALL.add(result);
    return result;
  }

  @Override
  public void notifyCheckpointComplete(long checkpointId) {
    checkpoints++;
    if (checkpoints >= CHECKPOINTS
        && FAILURES_LEFT.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
      throw new IllegalStateException("as the test wants it");
    }
  }
}
