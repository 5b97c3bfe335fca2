// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.source;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.FpgaSource;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Where a table's packets come from: its source, or what a measurement puts in its place. */
public interface SourceBlocks {
  /** The rings themselves. */
  SourceBlocks OF_RINGS =
      (environment, source) ->
          environment.fromSource(source, WatermarkStrategy.noWatermarks(), "rings");

  SingleOutputStreamOperator<PacketBlock> in(
      StreamExecutionEnvironment environment, FpgaSource source);
}
