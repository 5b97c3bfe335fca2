// SPDX-License-Identifier: Apache-2.0
package com.example;

import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import dev.flowstone.connector.fpga.Packets;
import dev.flowstone.model.FlowTuple;
import dev.flowstone.model.Packet;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.AggregateFunction;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.windowing.ProcessWindowFunction;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.util.Collector;

/** The way of Flink's textbook: each packet is an element, sent to the subtask of its key. */
final class CountKeyed implements AggregateFunction<Packet, FlowSum, FlowSum> {
  private static final long serialVersionUID = 1L;

  static DataStream<FlowSecond> perFlowAndSecond(
      StreamExecutionEnvironment environment, FpgaSourceBuilder source) {
    SingleOutputStreamOperator<Packet> packets =
        Packets.of(
            environment
                .fromSource(source.build(), WatermarkStrategy.noWatermarks(), "rings")
                .uid("rings"));
    FirstJob.printLosses(packets);
    return packets
        .keyBy(Packet::tuple)
        .window(TumblingEventTimeWindows.of(Duration.ofSeconds(1)))
        .aggregate(new CountKeyed(), new Label())
        .name("Flows by second")
        .uid("flows-by-second");
  }

  @Override
  public FlowSum createAccumulator() {
    return new FlowSum();
  }

  @Override
  public FlowSum add(Packet packet, FlowSum sum) {
    sum.packets++;
    sum.bytes += packet.frameLength();
    return sum;
  }

  @Override
  public FlowSum getResult(FlowSum sum) {
    return sum;
  }

  @Override
  public FlowSum merge(FlowSum one, FlowSum other) {
    one.packets += other.packets;
    one.bytes += other.bytes;
    return one;
  }

  /** Puts flow and second beside the sum. */
  private static final class Label
      extends ProcessWindowFunction<FlowSum, FlowSecond, FlowTuple, TimeWindow> {
    private static final long serialVersionUID = 1L;

    @Override
    public void process(
        FlowTuple flow, Context context, Iterable<FlowSum> sums, Collector<FlowSecond> out) {
      FlowSum sum = sums.iterator().next();
      out.collect(
          new FlowSecond(context.window().getStart() / 1_000, flow, sum.packets, sum.bytes));
    }
  }
}
