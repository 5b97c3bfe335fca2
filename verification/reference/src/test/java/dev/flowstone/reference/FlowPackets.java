// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.reference;

import dev.flowstone.connector.fpga.FlowAggregate;
import dev.flowstone.connector.fpga.FlowExchange;
import dev.flowstone.connector.fpga.FlowWindows;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.model.FlowTuple;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/** A job of the DataStream API with windows: packets of each flow in each second. */
final class FlowPackets implements FlowAggregate<FlowPackets.Sum, Long> {
  private static final long serialVersionUID = 1L;

  /** As Flink wants what it keeps. */
  public static final class Sum {
    public long packets;
  }

  static void build(StreamExecutionEnvironment environment, Path rings) {
    FlowWindows.of(Duration.ofSeconds(1))
        .aggregate(
            FlowExchange.AUTO.blocksByFlow(
                environment,
                FpgaSource.builder().ringDirectory(rings).readerName("flow-packets"),
                "rings"),
            new FlowPackets())
        .sinkTo(new DiscardingSink<>());
  }

  @Override
  public Sum create() {
    return new Sum();
  }

  @Override
  public void add(Sum sum, MemorySegment segment, long offsetBytes) {
    sum.packets++;
  }

  @Override
  public Long result(FlowTuple flow, long startNs, Sum sum) {
    return sum.packets;
  }
}
