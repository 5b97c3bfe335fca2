// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import java.util.concurrent.atomic.LongAdder;
import org.apache.flink.api.common.functions.FilterFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/** Counts what a job finds, and lets nothing of it through. */
final class CountedResults<T> implements FilterFunction<T> {
  private static final long serialVersionUID = 1L;

  /** Of all instances in this process. */
  static final LongAdder RESULTS = new LongAdder();

  /** Where results would go to Kafka. */
  static <T> void end(DataStream<T> results) {
    results.filter(new CountedResults<>()).sinkTo(new DiscardingSink<>());
  }

  @Override
  public boolean filter(T result) {
    RESULTS.increment();
    return false;
  }
}
