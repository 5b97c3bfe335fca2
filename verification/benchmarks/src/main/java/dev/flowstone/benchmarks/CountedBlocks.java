// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.benchmarks;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.PacketBlockTypeInformation;
import dev.flowstone.connector.fpga.RingBlocks;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Passes on the blocks that the source reads, and counts their packets. */
final class CountedBlocks implements MapFunction<PacketBlock, PacketBlock> {
  private static final long serialVersionUID = 1L;

  private static final Duration POLL = Duration.ofMillis(10);

  /** Of all instances in this process. */
  static final LongAdder PACKETS = new LongAdder();

  /**
   * Returns when so many more packets were read; or after a while, on a machine that is too busy.
   */
  static void await(long packets, Duration limit) {
    long wanted = PACKETS.sum() + packets;
    long endNs = System.nanoTime() + limit.toNanos();
    while (PACKETS.sum() < wanted && System.nanoTime() - endNs < 0) {
      Windows.await(POLL);
    }
  }

  /** Filled rings, read lap after lap. */
  static DataStream<PacketBlock> of(StreamExecutionEnvironment environment, Path rings) {
    return of(environment, LappingSource.of(rings));
  }

  static SingleOutputStreamOperator<PacketBlock> of(
      StreamExecutionEnvironment environment, Source<PacketBlock, ?, ?> source) {
    return environment
        .fromSource(source, WatermarkStrategy.noWatermarks(), "Rings")
        .map(new CountedBlocks())
        .returns(PacketBlockTypeInformation.INSTANCE);
  }

  /** The same, of one subtask, which has all flows. */
  static RingBlocks byFlow(StreamExecutionEnvironment environment, Path rings) {
    return new RingBlocks(of(environment, rings), true);
  }

  @Override
  public PacketBlock map(PacketBlock block) {
    PACKETS.add(block.count());
    return block;
  }
}
