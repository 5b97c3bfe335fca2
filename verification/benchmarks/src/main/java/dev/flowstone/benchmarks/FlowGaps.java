// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.api.java.tuple.Tuple4;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Inter-arrival times within flows, for whoever adds them up by rule: a keyed state for the latest
 * time of each. Flows stay there, which saves it the work of forgetting them.
 */
final class FlowGaps
    extends KeyedProcessFunction<
        Tuple3<Long, Long, Long>, Tuple4<Long, Long, Long, Long>, Tuple3<Long, Long, Long>> {
  private static final long serialVersionUID = 1L;

  private transient ValueState<Long> latest;

  /** Rule, time and gap of packets that have their own time. */
  static SingleOutputStreamOperator<Tuple3<Long, Long, Long>> of(
      DataStream<Tuple4<Long, Long, Long, Long>> packets) {
    return packets
        .keyBy(
            packet -> Tuple3.of(packet.f0, packet.f1, packet.f2),
            Types.TUPLE(Types.LONG, Types.LONG, Types.LONG))
        .process(new FlowGaps())
        .returns(ValueHistograms.VALUE_TYPE);
  }

  @Override
  public void open(OpenContext context) {
    latest = getRuntimeContext().getState(new ValueStateDescriptor<>("latest", Types.LONG));
  }

  @Override
  public void processElement(
      Tuple4<Long, Long, Long, Long> packet,
      Context context,
      Collector<Tuple3<Long, Long, Long>> out)
      throws Exception {
    Long latestNs = latest.value();
    if (latestNs != null) {
      long rule = KeyedHistograms.ruleOf(packet.f2);
      out.collect(Tuple3.of(rule, packet.f3, Math.max(0, packet.f3 - latestNs)));
    }
    latest.update(packet.f3);
  }
}
