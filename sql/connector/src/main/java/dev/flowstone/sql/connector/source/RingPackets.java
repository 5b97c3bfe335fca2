// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.sql.connector.source;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.FpgaSource;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** A table's packets in blocks: what to read, and how it comes into a job. */
record RingPackets(FpgaSource source, SourceBlocks blocks) {
  boolean isBounded() {
    return source.getBoundedness() == Boundedness.BOUNDED;
  }

  SingleOutputStreamOperator<PacketBlock> in(StreamExecutionEnvironment environment) {
    return blocks.in(environment, source);
  }
}
