// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.histogram;

import dev.flowstone.operators.histogram.HistogramResult;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/** Collects the results of a job that runs in this JVM. */
final class CollectedResults implements MapFunction<HistogramResult, HistogramResult> {
  private static final long serialVersionUID = 1L;

  static final Queue<HistogramResult> ALL = new ConcurrentLinkedQueue<>();

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
}
