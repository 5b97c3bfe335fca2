// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import java.time.Duration;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;

/** Histograms of values that somebody found: the key's number, the time, the value. */
final class ValueHistograms extends HistogramsByKey<Long, Tuple3<Long, Long, Long>> {
  private static final long serialVersionUID = 1L;

  static final TypeInformation<Tuple3<Long, Long, Long>> VALUE_TYPE =
      Types.TUPLE(Types.LONG, Types.LONG, Types.LONG);

  private ValueHistograms(Duration interval) {
    super(interval);
  }

  /** Of values that have their own time. */
  static SingleOutputStreamOperator<Tuple3<Long, Long, byte[]>> of(
      DataStream<Tuple3<Long, Long, Long>> values, Duration interval) {
    return values
        .keyBy(value -> value.f0, Types.LONG)
        .process(new ValueHistograms(interval))
        .returns(TYPE);
  }

  @Override
  long timeNs(Tuple3<Long, Long, Long> value) {
    return value.f1;
  }

  @Override
  long value(Tuple3<Long, Long, Long> value, long latestNs) {
    return value.f2;
  }

  @Override
  long numberOf(Long key) {
    return key;
  }
}
