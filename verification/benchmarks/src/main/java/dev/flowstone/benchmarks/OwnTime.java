// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import java.io.Serializable;
import java.util.function.ToLongFunction;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * Gives each element its own timestamp in place of its block's. The watermarks stay those of the
 * rings, which Flink's own assigner would throw away.
 */
final class OwnTime<T> extends AbstractStreamOperator<T> implements OneInputStreamOperator<T, T> {
  private static final long serialVersionUID = 1L;
  private static final long NS_PER_MS = 1_000_000;

  private final TimeNs<T> timeNs;

  interface TimeNs<T> extends ToLongFunction<T>, Serializable {}

  private OwnTime(TimeNs<T> timeNs) {
    this.timeNs = timeNs;
  }

  static <T> SingleOutputStreamOperator<T> of(
      SingleOutputStreamOperator<T> elements, TimeNs<T> timeNs) {
    return elements.transform("Own time", elements.getType(), new OwnTime<>(timeNs));
  }

  @Override
  public void processElement(StreamRecord<T> element) {
    long ms = Math.floorDiv(timeNs.applyAsLong(element.getValue()), NS_PER_MS);
    output.collect(element.replace(element.getValue(), ms));
  }
}
