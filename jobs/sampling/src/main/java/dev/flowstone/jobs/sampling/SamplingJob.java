// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.sampling;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.RingBlocks;
import dev.flowstone.jobs.endpoints.KafkaSinks;
import dev.flowstone.jobs.endpoints.questdb.QuestDbSinks;
import dev.flowstone.jobs.endpoints.stages.StageSinks;
import dev.flowstone.operators.packets.ChosenPackets;
import dev.flowstone.operators.ruled.RuledBlocks;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Carries a sample of the packets of a tap's rings to Kafka, all in one chain of operators. */
public final class SamplingJob {
  private SamplingJob() {}

  /** Adds the job to an environment, ready to be executed. */
  public static void build(StreamExecutionEnvironment environment, SamplingOptions options) {
    KafkaSinks.requireCommits(environment, options.kafka, options.rings);
    QuestDbSinks.requireCheckpoints(environment, options.questDb, options.rings);
    sample(
        environment
            .fromSource(source(options), WatermarkStrategy.noWatermarks(), "rings")
            .uid("rings"),
        options);
  }

  /** The same on other blocks, which each ring's packets reach in their order. */
  public static void sample(DataStream<PacketBlock> blocks, SamplingOptions options) {
    RuledBlocks ruled =
        RuledBlocks.of(new RingBlocks(blocks, false), options.liveRules(), "Rules").uid("rules");
    ChosenPackets.of(ruled, options.keys.read(), "Sample")
        .uid("sample")
        .sinkTo(KafkaSinks.ofPackets(options.kafka, options.name, options.topic, options.batches))
        .name("Kafka")
        .uid("kafka");
    StageSinks.send(blocks, options.stages, options.kafka, options.questDb, options.name);
  }

  /** The tap's rings, read as the options say. */
  public static FpgaSource source(SamplingOptions options) {
    return options
        .rings
        .source(options.name)
        .blockRecords(options.batches.packets)
        .minimumBlock(options.batches.packets, options.batches.longestWait())
        .build();
  }
}
