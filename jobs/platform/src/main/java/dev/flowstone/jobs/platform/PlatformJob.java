// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.platform;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.WeightedBlock;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.jobs.endpoints.KafkaSinks;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Carries every packet of a tap's rings to Kafka, as packet batches. */
public final class PlatformJob {
  private PlatformJob() {}

  /** Adds the job to an environment, ready to be executed. */
  public static void build(StreamExecutionEnvironment environment, PlatformOptions options) {
    build(environment, source(options), options);
  }

  /** The same job on another source of blocks. */
  public static void build(
      StreamExecutionEnvironment environment,
      Source<PacketBlock, ?, ?> source,
      PlatformOptions options) {
    KafkaSinks.requireCommits(environment, options.kafka, options.rings);
    environment
        .fromSource(source, WatermarkStrategy.noWatermarks(), "Rings")
        .uid("rings")
        .map(WeightedBlock::plain)
        .name("Every packet")
        .uid("every-packet")
        .sinkTo(sink(options))
        .name("Kafka")
        .uid("kafka");
  }

  /** The tap's rings, read as the options say. */
  public static FpgaSource source(PlatformOptions options) {
    return options
        .rings
        .source(options.name)
        .blockRecords(options.batches.packets)
        .minimumBlock(options.batches.packets, options.batches.longestWait())
        .build();
  }

  /** The topic, written as the options say. */
  public static Sink<WeightedBlock> sink(PlatformOptions options) {
    return KafkaSinks.ofPackets(options.kafka, options.name, options.topic, options.batches);
  }
}
