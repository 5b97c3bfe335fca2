// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.connector.fpga;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Keeps in state, per flow, the number that must come next; any packet lost, repeated or out of
 * order is an error. The state's latest values are seen in {@link #NEXT}.
 */
final class FlowLedger
    extends KeyedProcessFunction<Integer, Tuple2<Integer, Integer>, Tuple2<Integer, Integer>> {
  private static final long serialVersionUID = 1L;

  static final Map<Integer, Integer> NEXT = new ConcurrentHashMap<>();
  static final AtomicLong ERRORS = new AtomicLong();

  private transient ValueState<Integer> next;

  static void reset() {
    NEXT.clear();
    ERRORS.set(0);
  }

  static long packets() {
    return NEXT.values().stream().mapToLong(Integer::longValue).sum();
  }

  @Override
  public void open(OpenContext context) {
    next = getRuntimeContext().getState(new ValueStateDescriptor<>("next", Types.INT));
  }

  @Override
  public void processElement(
      Tuple2<Integer, Integer> packet, Context context, Collector<Tuple2<Integer, Integer>> out)
      throws Exception {
    int expected = next.value() == null ? 0 : next.value();
    if (packet.f1 != expected) {
      ERRORS.incrementAndGet();
    }
    next.update(expected + 1);
    NEXT.put(packet.f0, expected + 1);
  }
}
