// SPDX-License-Identifier: Apache-2.0
package dev.flowstone.jobs.platform;

import dev.flowstone.blocks.PacketBlock;
import dev.flowstone.blocks.WeightedBlock;
import dev.flowstone.connector.fpga.FlowExchange;
import dev.flowstone.connector.fpga.FpgaSource;
import dev.flowstone.connector.fpga.FpgaSourceBuilder;
import dev.flowstone.connector.fpga.RingBlocks;
import dev.flowstone.jobs.endpoints.KafkaSinks;
import dev.flowstone.jobs.endpoints.questdb.QuestDbSinks;
import dev.flowstone.jobs.endpoints.stages.StageSinks;
import java.util.List;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * Carries the packets of a tap's rings to Kafka, or what its rules make of them: every function in
 * one job, whatever the rules name now, because other rules may come while it runs.
 */
public final class PlatformJob {
  private PlatformJob() {}

  /** Adds the job to an environment, ready to be executed. */
  public static void build(StreamExecutionEnvironment environment, PlatformOptions options) {
    if (options.rules.isGiven()) {
      byRules(FlowExchange.AUTO.read(environment, rings(options), "rings"), options);
    } else {
      build(environment, source(options), options);
    }
  }

  /** Every packet, on another source of blocks. */
  public static void build(
      StreamExecutionEnvironment environment,
      Source<PacketBlock, ?, ?> source,
      PlatformOptions options) {
    KafkaSinks.requireCommits(environment, options.kafka, options.rings);
    QuestDbSinks.requireCheckpoints(environment, options.questDb, options.rings);
    DataStream<PacketBlock> blocks =
        environment.fromSource(source, WatermarkStrategy.noWatermarks(), "rings").uid("rings");
    StageSinks.send(blocks, options.stages, options.kafka, options.questDb, options.name);
    blocks
        .map(WeightedBlock::plain)
        .name("Every packet")
        .uid("every-packet")
        .sinkTo(sink(options))
        .name("Kafka")
        .uid("kafka");
  }

  /** What rules make of the packets, on other blocks. */
  public static void byRules(RingBlocks blocks, PlatformOptions options) {
    StreamExecutionEnvironment environment = blocks.packets().getExecutionEnvironment();
    KafkaSinks.requireCommits(environment, options.kafka, options.rings);
    QuestDbSinks.requireCheckpoints(environment, options.questDb, options.rings);
    PlatformStreams streams = PlatformStreams.of(blocks, options);
    streams.packets().sinkTo(sink(options)).name("Kafka: packets").uid("kafka");
    streams
        .results()
        .forEach(
            (name, results) ->
                QuestDbSinks.sendResults(results, options.questDb, options.name, name));
    KafkaSinks.sendResults(
        List.copyOf(streams.results().values()), options.kafka, options.name, options.resultsTopic);
    StageSinks.send(
        blocks.packets(),
        options.stages,
        options.kafka,
        options.questDb,
        options.name,
        options.resultsTopic);
  }

  /** The tap's rings, read as the options say. */
  public static FpgaSource source(PlatformOptions options) {
    return rings(options).build();
  }

  private static FpgaSourceBuilder rings(PlatformOptions options) {
    return options
        .rings
        .source(options.name)
        .blockRecords(options.batches.packets)
        .minimumBlock(options.batches.packets, options.batches.longestWait());
  }

  /** The topic of packets, written as the options say. */
  public static Sink<WeightedBlock> sink(PlatformOptions options) {
    return KafkaSinks.ofPackets(options.kafka, options.name, options.topic, options.batches);
  }
}
