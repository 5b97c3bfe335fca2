// SPDX-License-Identifier: Apache-2.0
package com.example;

import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import dev.flowstone.connector.fpga.LostPackets;
import java.nio.file.Path;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.ParameterTool;

/** Packets and bytes of each flow in each second: --rings DIR [--way keyed] [--bounded true]. */
public final class FirstJob {
  /** What taps use; with another --max-parallelism of the tap it is that. */
  private static final int KEY_GROUPS = 128;

  private static final long CHECKPOINT_INTERVAL_MS = 10_000;

  private FirstJob() {}

  public static void main(String[] arguments) throws Exception {
    ParameterTool parameters = ParameterTool.fromArgs(arguments);
    StreamExecutionEnvironment environment = StreamExecutionEnvironment.getExecutionEnvironment();
    environment.setMaxParallelism(KEY_GROUPS);
    // Ring space is given back, and a restart goes on, from the latest checkpoint.
    environment.enableCheckpointing(CHECKPOINT_INTERVAL_MS);

    FpgaSourceBuilder source =
        FpgaSource.builder()
            .ringDirectory(Path.of(parameters.getRequired("rings")))
            .readerName("first-job");
    if (parameters.getBoolean("bounded", false)) {
      source.bounded();
    }

    DataStream<FlowSecond> counts =
        switch (parameters.get("way", "blocks")) {
          case "blocks" -> CountBlocks.perFlowAndSecond(environment, source);
          case "keyed" -> CountKeyed.perFlowAndSecond(environment, source);
          default -> throw new IllegalArgumentException("--way is blocks or keyed");
        };
    counts.print();
    environment.execute("First job");
  }

  /** What the rings lost on the way here is part of the result. */
  static void printLosses(SingleOutputStreamOperator<?> fromBlocks) {
    fromBlocks.getSideOutput(LostPackets.TAG).printToErr();
  }
}
